//! A place in one shard.

/// In the words of `GetShardIterator`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cursor {
    /// The oldest record the shard retains.
    Horizon,
    /// After the newest record, at the moment the iterator is made.
    Tip,
    /// The first record that arrived at or after that many milliseconds since the epoch.
    Timestamp(u64),
    /// Exactly that record.
    At(String),
    /// The record after that one.
    After(String),
}

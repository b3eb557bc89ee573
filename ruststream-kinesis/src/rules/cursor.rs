//! Where one shard's reader opens, and opens again.

/// A place in one shard, in the words of `GetShardIterator`.
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

/// What is known of a shard that is about to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'a> {
    /// A position this subscription took for the shard, which wins over the row.
    pub(crate) repositioned: Option<&'a Cursor>,
    /// The row's cursor: where its last owner opened or moved to, without a checkpoint since.
    pub(crate) stored: Option<&'a Cursor>,
    /// The row's checkpoint.
    pub(crate) checkpoint: Option<&'a str>,
    /// Where an earlier reader of this subscription opened without progress since.
    pub(crate) remembered: Option<&'a Cursor>,
    /// The subscription's stream-wide position, if it took one.
    pub(crate) stream_wide: Option<&'a Cursor>,
    /// Whether the shard existed when the subscription opened, or last took a position.
    pub(crate) existed: bool,
    /// Whether the shard's parents were followed to their end under these leases.
    pub(crate) followed: bool,
    /// The instant the subscription opened, in milliseconds since the epoch by the service's
    /// clock; nothing while it is opening, when the tip is still this instant.
    pub(crate) opened_at: Option<u64>,
}

impl Opening<'_> {
    /// Where the shard opens, so that nothing between the tip of the subscription's opening and
    /// now is skipped.
    pub(crate) fn cursor(&self) -> Cursor {
        if let Some(cursor) = self.repositioned {
            return cursor.clone();
        }
        if let Some(cursor) = self.stored {
            return cursor.clone();
        }
        if let Some(sequence) = self.checkpoint {
            return Cursor::After(sequence.to_owned());
        }
        if let Some(cursor) = self.remembered {
            return cursor.clone();
        }
        match self.stream_wide {
            Some(cursor @ Cursor::Timestamp(_)) => cursor.clone(),
            // All that a shard born after the position holds is newer than the position.
            Some(_) if !self.existed => Cursor::Horizon,
            Some(cursor) => cursor.clone(),
            None if self.followed || !self.existed => Cursor::Horizon,
            None => self.opened_at.map_or(Cursor::Tip, Cursor::Timestamp),
        }
    }
}

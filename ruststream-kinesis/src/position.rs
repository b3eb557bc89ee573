//! Where a subscription reads from.

/// Where a subscription reads from: the whole vocabulary.
///
/// The first three move every shard the subscription holds and keep their meaning for shards it
/// finds later; [`Sequence`](Self::Sequence) moves one shard.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KinesisPosition {
    /// The trim horizon: everything the stream still retains.
    Horizon,
    /// The tip: only records published after the reposition.
    Latest,
    /// Each shard opens at its first record from that instant, in milliseconds since the Unix
    /// epoch. It is matched against the arrival time the service stamped, which the service calls
    /// approximate.
    Timestamp(u64),
    /// Exactly one record, and what follows it on its shard. The instance it is given to has to read
    /// that shard: a seek, or a start, at a shard that another instance reads is refused, so a
    /// service of several instances starts by time instead.
    Sequence {
        /// The shard's id.
        shard: String,
        /// The record's sequence number.
        sequence: String,
    },
}

impl KinesisPosition {
    /// The trim horizon: everything the stream still retains.
    #[must_use]
    pub const fn horizon() -> Self {
        Self::Horizon
    }

    /// The tip: only records published after the reposition.
    #[must_use]
    pub const fn latest() -> Self {
        Self::Latest
    }

    /// Each shard's first record from `millis` on, in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn timestamp(millis: u64) -> Self {
        Self::Timestamp(millis)
    }

    /// The shard of a position in one shard, which a record's own position always is.
    #[must_use]
    pub fn shard(&self) -> Option<&str> {
        match self {
            Self::Sequence { shard, .. } => Some(shard),
            _ => None,
        }
    }

    /// The sequence number of a position in one shard, which a record's own position always is.
    #[must_use]
    pub fn sequence_number(&self) -> Option<&str> {
        match self {
            Self::Sequence { sequence, .. } => Some(sequence),
            _ => None,
        }
    }

    /// The record `sequence` of `shard`: the position `Positioned::position` captures.
    #[must_use]
    pub fn sequence(shard: impl Into<String>, sequence: impl Into<String>) -> Self {
        Self::Sequence {
            shard: shard.into(),
            sequence: sequence.into(),
        }
    }

    /// The position itself: what `#[subscriber(start_at = ..)]` hands an expression through, since
    /// the framework reads a position's type off its constructor.
    #[doc(hidden)]
    #[must_use]
    pub fn at(self) -> Self {
        self
    }
}

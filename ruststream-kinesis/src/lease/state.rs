//! What a store is told and answers.

use crate::rules::row::is_of_another_stream;
use crate::rules::seen_row::SeenRow;

/// What a store keeps of one shard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseState {
    /// The sequence number up to which every record is handled, [`SHARD_END`](super::SHARD_END), or
    /// nothing yet.
    pub checkpoint: Option<String>,
    /// Where the shard's reader opened or was moved to, unless a checkpoint was stored since: it is
    /// read on from there, whatever the checkpoint says. It is what
    /// [`LeaseStore::keep_cursor`](super::LeaseStore::keep_cursor) was given.
    pub cursor: Option<String>,
    /// Who holds the lease; nothing where it is free or has expired, and from a store that does
    /// not tell.
    pub owner: Option<String>,
    /// When the stream the row was written for was created, in milliseconds since the epoch: a
    /// stream that was created again under its name is another one.
    pub stream_created: Option<u64>,
}

impl LeaseState {
    /// The same state with `sequence` as its checkpoint.
    #[must_use]
    pub fn with_checkpoint(mut self, sequence: impl Into<String>) -> Self {
        self.checkpoint = Some(sequence.into());
        self
    }

    /// The same state with `cursor` as its cursor.
    #[must_use]
    pub fn with_cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }

    /// The same state held by `owner`.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// The same state, of a stream created at `millis` since the epoch.
    #[must_use]
    pub const fn with_stream_created(mut self, millis: u64) -> Self {
        self.stream_created = Some(millis);
        self
    }

    /// What it says of the shard of a stream that was created then.
    pub(crate) fn seen(self, stream_created: Option<u64>) -> SeenRow {
        let stale = self.is_stale(stream_created);
        let row = SeenRow {
            owner: self.owner,
            checkpoint: self.checkpoint,
            cursor: self.cursor,
            stale,
        };
        row.unless_stale()
    }

    /// Whether nothing is known of how far the shard was read.
    const fn is_untouched(&self) -> bool {
        self.checkpoint.is_none() && self.cursor.is_none()
    }

    /// Whether the row was written for another stream of the same name than the one created then.
    fn is_stale(&self, stream_created: Option<u64>) -> bool {
        is_of_another_stream(self.stream_created, stream_created)
    }
}

/// Where a shard opens if its row does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// The cursor to keep in the row; nothing where the caller keeps it later.
    pub cursor: Option<String>,
    /// Whether the cursor replaces what the row says: a position was asked for.
    pub replaces: bool,
    /// When the stream was created, in milliseconds since the epoch. What a row says of a stream
    /// created at another time counts for nothing.
    pub stream_created: Option<u64>,
}

impl Opening {
    /// The same with that cursor.
    #[must_use]
    pub fn with_cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }

    /// The same, whatever the row says.
    #[must_use]
    pub const fn replacing(mut self) -> Self {
        self.replaces = true;
        self
    }

    /// The same, of a stream created at `millis` since the epoch.
    #[must_use]
    pub const fn with_stream_created(mut self, millis: u64) -> Self {
        self.stream_created = Some(millis);
        self
    }

    /// Whether the cursor belongs in a row that holds `state`.
    #[must_use]
    pub fn is_for(&self, state: &LeaseState) -> bool {
        self.replaces || state.is_untouched() || state.is_stale(self.stream_created)
    }
}

/// One instance that reads a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The name it holds leases under.
    pub owner: String,
    /// How many shards it reads at most; nothing where it takes what it gets.
    pub max_leases: Option<usize>,
}

impl Member {
    /// An instance that holds leases as `owner`, at most `max_leases` of them.
    #[must_use]
    pub fn new(owner: impl Into<String>, max_leases: Option<usize>) -> Self {
        Self {
            owner: owner.into(),
            max_leases,
        }
    }
}

/// What several instances can see of each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Survey {
    /// The state of each shard that was asked for, in the order asked.
    pub states: Vec<LeaseState>,
    /// The instances that announced themselves and are not known to be gone.
    pub members: Vec<Member>,
}

impl Survey {
    /// What a store saw.
    #[must_use]
    pub const fn new(states: Vec<LeaseState>, members: Vec<Member>) -> Self {
        Self { states, members }
    }
}

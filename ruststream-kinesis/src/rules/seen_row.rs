//! What a stored row said of its shard when it was last looked at.

use std::collections::BTreeMap;

use super::shard_graph::ShardId;

/// The checkpoint of a shard that was read to its end.
pub(crate) const SHARD_END: &str = "SHARD_END";

/// The rows of some shards as they were a moment ago.
pub(crate) type SeenRows = BTreeMap<ShardId, SeenRow>;

/// One row as it was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SeenRow {
    /// Who held the lease.
    pub(crate) owner: Option<String>,
    pub(crate) checkpoint: Option<String>,
    pub(crate) cursor: Option<String>,
    /// Whether it was written for an earlier stream of the name: what that says counts for nothing.
    pub(crate) stale: bool,
}

impl SeenRow {
    /// The same, without what it says of another stream.
    pub(crate) fn unless_stale(self) -> Self {
        if !self.stale {
            return self;
        }
        Self {
            owner: self.owner,
            stale: true,
            ..Self::default()
        }
    }

    /// Whether it tells nothing of how far the shard was read.
    pub(crate) const fn is_silent(&self) -> bool {
        self.checkpoint.is_none() && self.cursor.is_none()
    }

    /// Whether nobody has read the shard yet, of whichever stream of the name.
    pub(crate) const fn is_untouched(&self) -> bool {
        self.is_silent() && !self.stale
    }

    /// Whether the shard was read to its end.
    pub(crate) fn is_over(&self) -> bool {
        self.cursor.is_none() && self.checkpoint.as_deref() == Some(SHARD_END)
    }

    /// Whether another than `owner` is still at what it read of the shard.
    pub(crate) fn is_read_by_another_than(&self, owner: &str) -> bool {
        let another = self.owner.as_deref().is_some_and(|reader| reader != owner);
        another && !self.is_over()
    }

    /// Whether it tells of a place before the shard's end.
    pub(crate) fn is_unfinished(&self) -> bool {
        !self.is_silent() && !self.is_over()
    }
}

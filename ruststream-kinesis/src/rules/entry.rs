//! What a subscription knows of one shard.

use std::sync::Arc;

use super::cursor::Cursor;
use super::shard_graph::ShardId;

/// How many listings in a row must leave a shard out before that counts: one may have been taken in
/// the middle of a change.
const GONE_AFTER: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Waiting,
    Reading,
    /// `followed` tells a shard whose records were read, from its stored progress or from its
    /// horizon, from one that was passed by at the tip.
    Finished {
        followed: bool,
        /// Whether this instance read it to its end.
        here: bool,
    },
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) state: State,
    /// Whether the shard existed when the current position was taken.
    pub(super) existed: bool,
    /// A position that wins over the row, until a reader opens there.
    pub(super) repositioned: Option<Cursor>,
    /// Where the last reader would open again.
    pub(super) remembered: Option<Cursor>,
    /// Whether the last reader started from progress, a position or the horizon.
    pub(super) followed: bool,
    /// Its parents, as it was last listed.
    pub(super) parents: Vec<ShardId>,
    /// How many listings in a row have left the shard out.
    unlisted: u32,
    /// How many did since it was last listed that hold a child of it: one from before both says
    /// nothing.
    passed_over: u32,
    /// What stood in the way when the shard was last asked for.
    pub(super) hindrance: Option<Hindrance>,
    /// Whether a shard that could not be taken waits for the next listing.
    pub(super) deferred: bool,
}

/// Why a shard that is ready is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hindrance {
    /// Another owner holds the lease.
    HeldElsewhere,
    /// Nobody does; it is another member's share.
    LeftToOthers,
    /// The store or the service failed; the next listing tries again.
    Failed,
}

impl Entry {
    pub(super) const fn new(existed: bool) -> Self {
        Self {
            state: State::Waiting,
            existed,
            repositioned: None,
            remembered: None,
            followed: false,
            parents: Vec::new(),
            unlisted: 0,
            passed_over: 0,
            hindrance: None,
            deferred: false,
        }
    }

    /// A listing holds the shard.
    pub(super) fn listed<'a>(&mut self, parents: impl Iterator<Item = &'a ShardId>) {
        (self.unlisted, self.passed_over) = (0, 0);
        if self.parents.is_empty() {
            self.parents = parents.map(Arc::clone).collect();
        }
    }

    /// A listing leaves the shard out, and maybe holds a child of it.
    pub(super) fn left_out(&mut self, passed_over: bool) {
        self.unlisted = self.unlisted.saturating_add(1);
        self.passed_over = self.passed_over.saturating_add(u32::from(passed_over));
    }

    /// Whether enough listings left the shard out to believe them, if the service has it no more.
    pub(super) const fn is_unlisted(&self) -> bool {
        self.unlisted >= GONE_AFTER
    }

    /// Whether enough listings held a child of the shard and not the shard: nobody is to begin with it.
    pub(super) const fn is_gone(&self) -> bool {
        self.passed_over >= GONE_AFTER
    }
}

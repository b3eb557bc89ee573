//! What a subscription knows of one shard.

use super::cursor::Cursor;

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
    /// How many listings in a row have left the shard out.
    pub(super) unlisted: u32,
    /// How many did since it was last listed that hold a child of it: one from before both says
    /// nothing.
    pub(super) passed_over: u32,
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
            unlisted: 0,
            passed_over: 0,
            hindrance: None,
            deferred: false,
        }
    }
}

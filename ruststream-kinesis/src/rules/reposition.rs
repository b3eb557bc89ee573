//! What a position of the whole stream does to its shards.

use std::sync::Arc;

use super::cursor::Cursor;
use super::entry::{Hindrance, State};
use super::shard_graph::ShardId;
use super::subscription::Shards;

impl Shards {
    /// The shards whose readers a stream-wide position moves, and those whose readers must stop
    /// because an ancestor is to be read again before them.
    pub(crate) fn plan(&self, position: &Cursor) -> Plan {
        let reopened = |id: &str| {
            self.graph.contains(id)
                && self
                    .entries
                    .get(id)
                    .is_some_and(|entry| matches!(entry.state, State::Finished { .. }))
        };
        let (parked, moved) = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.state == State::Reading)
            .map(|(id, _)| Arc::clone(id))
            .partition(|id| replays(position) && self.graph.descends(id, &reopened));
        Plan { moved, parked }
    }

    /// Takes a stream-wide position; the readers of `plan` are moved and stopped by the caller.
    /// `at` is the instant of it, by the service's clock.
    pub(crate) fn repositioned(&mut self, position: &Cursor, plan: &Plan, at: u64) {
        let later = match position {
            Cursor::Tip => Cursor::Timestamp(at),
            cursor => cursor.clone(),
        };
        for (id, entry) in &mut self.entries {
            entry.existed = true;
            entry.deferred = false;
            entry.remembered = None;
            match entry.state {
                State::Finished { .. } if replays(position) && self.graph.contains(id) => {
                    entry.state = State::Waiting;
                    entry.repositioned = Some(later.clone());
                }
                State::Reading if plan.parked.contains(id) => {
                    entry.repositioned = Some(later.clone());
                }
                // Parked by an earlier position, which this one replaces, or not taken for a
                // failure: nobody else has read on from its row.
                State::Waiting
                    if entry.repositioned.is_some()
                        || entry.hindrance == Some(Hindrance::Failed) =>
                {
                    entry.repositioned = Some(later.clone());
                }
                _ => {}
            }
        }
        self.position = Some(later);
    }
}

/// Whether a position may lie before the end of a shard that is finished.
const fn replays(position: &Cursor) -> bool {
    matches!(position, Cursor::Horizon | Cursor::Timestamp(_))
}

/// What a stream-wide position does to the readers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// These go on from the position.
    pub(crate) moved: Vec<ShardId>,
    /// These stop, and open at the position once their ancestors are read again.
    pub(crate) parked: Vec<ShardId>,
}

//! What a store answers of what it holds.

use std::time::Duration;

use super::{LeaseState, Member, Opening};
use crate::rules::members::Members;
use crate::rules::row::{Row, Start};
use crate::rules::store_time::StoreTime;

impl LeaseState {
    /// What that row says at `now`.
    pub(super) fn of(row: &Row, now: StoreTime) -> Self {
        Self {
            checkpoint: row.checkpoint.clone(),
            cursor: row.cursor.clone(),
            owner: row.holder(now).map(str::to_owned),
            stream_created: row.stream_created,
        }
    }
}

impl Member {
    /// Who is there at `now`.
    pub(super) fn present(members: &Members, now: StoreTime) -> Vec<Self> {
        let members = members.present(now);
        members
            .map(|(owner, member)| Self::new(owner, member.max_leases))
            .collect()
    }
}

/// Takes the shard of `row` for `owner`, and answers what the row said before.
pub(super) fn take(
    row: &mut Row,
    owner: &str,
    ttl: Duration,
    now: StoreTime,
    opening: &Opening,
) -> Option<LeaseState> {
    let found = LeaseState::of(row, now);
    let start = Start {
        cursor: opening.cursor.as_deref().filter(|_| opening.is_for(&found)),
        stream_created: opening.stream_created,
    };
    row.take(owner, ttl, now, start).then_some(found)
}

//! A model of the lease table: the row's rules behind conditional writes.
//!
//! A write names the fencing counter its sender saw. One that arrives late finds another counter
//! there and changes nothing.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::executor::{MILLI, Micros};
use super::world::{BEGINS, World};
use crate::lease::{LeaseState, Member, Opening, Survey};
use crate::rules::members::Members;
use crate::rules::row::{Row, Start};
use crate::rules::shard_graph::ShardId;
use crate::rules::store_time::StoreTime;

pub(super) struct Table {
    rows: BTreeMap<ShardId, Row>,
    members: Members,
    /// How far its clock is ahead of the service's, in milliseconds.
    skew: u64,
}

/// What is written.
#[derive(Debug, Clone)]
pub(super) enum Write {
    Take(Opening),
    Renew,
    Checkpoint(String),
    KeepCursor(String),
    Release,
}

/// Who writes, and under which of its leases: the table knows the owner, the oracle the rest.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) owner: Arc<str>,
    pub(super) tenure: u64,
    pub(super) generation: u64,
}

/// What came of a write.
pub(super) enum Answer {
    Written {
        before: LeaseState,
        counter: u64,
    },
    /// The lease is another owner's.
    Refused,
    /// The row is not the one that was seen.
    Moved {
        counter: u64,
    },
}

impl Table {
    pub(super) fn new(skew: u64) -> Self {
        Self {
            rows: BTreeMap::new(),
            members: Members::default(),
            skew,
        }
    }

    /// The table's clock shows whole seconds, as the `Date` of its answers does.
    fn time(&self, now: Micros) -> StoreTime {
        let millis = BEGINS + self.skew + now / MILLI;
        StoreTime {
            earliest: millis / 1_000 * 1_000,
            latest: millis / 1_000 * 1_000 + 999,
        }
    }

    pub(super) fn row(&self, shard: &str) -> Option<&Row> {
        self.rows.get(shard)
    }

    /// What the row says, as `lease::answers` tells it.
    fn state(&self, shard: &str, now: StoreTime) -> LeaseState {
        let Some(row) = self.rows.get(shard) else {
            return LeaseState::default();
        };
        let mut state = LeaseState::default();
        state.checkpoint.clone_from(&row.checkpoint);
        state.cursor.clone_from(&row.cursor);
        state.owner = row.holder(now).map(str::to_owned);
        state.stream_created = row.stream_created;
        state
    }
}

/// Does to `row` what is asked; `before` is what it said.
fn done(
    row: &mut Row,
    write: &Write,
    owner: &str,
    ttl: Duration,
    now: StoreTime,
    before: &LeaseState,
) -> bool {
    match write {
        Write::Take(opening) => {
            let start = Start {
                cursor: opening.cursor.as_deref().filter(|_| opening.is_for(before)),
                stream_created: opening.stream_created,
            };
            row.take(owner, ttl, now, start)
        }
        Write::Renew => row.renew(owner, ttl, now),
        Write::Checkpoint(sequence) => row.checkpoint(owner, sequence),
        Write::KeepCursor(cursor) => row.keep_cursor(owner, cursor),
        Write::Release => row.release(owner),
    }
}

impl World {
    /// Serves a conditional write.
    pub(super) fn serve_write(
        &self,
        shard: &ShardId,
        write: &Write,
        writer: &Writer,
        expected: u64,
    ) -> Answer {
        let mut table = self.table.borrow_mut();
        let now = table.time(self.now());
        let counter = table.rows.get(shard).map_or(0, |row| row.counter);
        if counter != expected {
            self.count(|counts| counts.contended_writes += 1);
            return Answer::Moved { counter };
        }
        let before = table.state(shard, now);
        let row = table.rows.entry(Arc::clone(shard)).or_default();
        let ttl = self.scenario.timings.lease_ttl;
        if !done(row, write, &writer.owner, ttl, now, &before) {
            self.tell(|| format!("table: {shard} refuses {write:?} of {}", writer.owner));
            return Answer::Refused;
        }
        let row = row.clone();
        drop(table);
        self.tell(|| format!("table: {shard} {write:?} of {}", writer.owner));
        let held = self
            .oracle
            .borrow_mut()
            .written(self, shard, write, writer, &before, &row);
        self.check(held);
        Answer::Written {
            before,
            counter: row.counter,
        }
    }

    pub(super) fn serve_counter(&self, shard: &str) -> u64 {
        let table = self.table.borrow();
        table.row(shard).map_or(0, |row| row.counter)
    }

    pub(super) fn serve_row(&self, shard: &str) -> LeaseState {
        let table = self.table.borrow();
        table.state(shard, table.time(self.now()))
    }

    pub(super) fn serve_survey(&self, shards: &[ShardId]) -> Survey {
        let table = self.table.borrow();
        let now = table.time(self.now());
        let states = shards.iter().map(|shard| table.state(shard, now));
        Survey::new(states.collect(), table.present(now))
    }

    pub(super) fn serve_announcement(&self, member: &Member, ttl: Duration) -> Vec<Member> {
        let mut table = self.table.borrow_mut();
        let now = table.time(self.now());
        let most = member.max_leases;
        table.members.announce(&member.owner, most, ttl, now);
        table.present(now)
    }

    pub(super) fn serve_departure(&self, owner: &str) {
        self.table.borrow_mut().members.depart(owner);
    }

    /// Whether nobody holds any lease past what the table's clock says.
    pub(super) fn holder(self: &Rc<Self>, shard: &str) -> Option<String> {
        let table = self.table.borrow();
        let now = table.time(self.now());
        let row = table.row(shard)?;
        row.holder(now).map(str::to_owned)
    }
}

impl Table {
    fn present(&self, now: StoreTime) -> Vec<Member> {
        let members = self.members.present(now);
        members
            .map(|(owner, member)| Member::new(owner, member.max_leases))
            .collect()
    }
}

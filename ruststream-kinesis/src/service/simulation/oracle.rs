//! Watches what a user would see, and says where a promise is broken.
//!
//! It knows what no instance knows: every record there is, which were handled, and which lease of
//! which process each write came from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use super::executor::{MILLI, Micros, Process, SECOND};
use super::stream::{RecordId, Stream};
use super::world::World;
use crate::rules::pacing::READS_PER_SECOND;

/// How long an owner whose clock is slow may think it holds a lease that is over.
const CLOCKS_APART: Micros = 50 * MILLI;

/// How long a call is on its way, unless the way is held up.
const ON_ITS_WAY: Micros = 100 * MILLI;

/// What is known of one record.
#[derive(Debug, Default, Clone)]
pub(super) struct Tracked {
    /// A delivery at that time or later is to settle it; nothing where none is promised.
    pub(super) due: Option<Micros>,
    /// When the latest delivery was made that settled it.
    pub(super) settled: Option<Micros>,
    delivered: bool,
    pub(super) trimmed: bool,
    /// Whether the records of its key after it are to be handled later: it was promised when it came
    /// and nobody asked to pass it by since.
    ordered: bool,
}

impl Tracked {
    fn is_owed(&self) -> bool {
        let owed = |due: Micros| self.settled.is_none_or(|settled| settled < due);
        !self.trimmed && self.due.is_some_and(owed)
    }
}

/// One lease of one process, from its taking to its end.
#[derive(Debug)]
pub(super) struct Tenure {
    pub(super) shard: usize,
    pub(super) process: Process,
    /// Whether it begins at a position somebody asked for.
    pub(super) skips: bool,
    /// The reposition its reading goes by, as the row had it.
    pub(super) epoch: u64,
    /// When another tenure began.
    pub(super) superseded: Option<Micros>,
    pub(super) generations: BTreeMap<u64, Generation>,
}

/// What was read since one opening or reposition.
#[derive(Debug)]
pub(super) struct Generation {
    pub(super) epoch: u64,
    pub(super) began: Micros,
    /// The next record to be delivered is not before the first of these places, and not after the
    /// second: a tip is known to the second only.
    next: (usize, usize),
    /// Records that were delivered, and whether they are settled.
    delivered: BTreeMap<RecordId, bool>,
}

impl Generation {
    pub(super) fn hi(&self) -> usize {
        self.next.1
    }

    /// Whether something delivered up to `record` is not settled.
    pub(super) fn unsettled_up_to(&self, record: RecordId) -> Option<RecordId> {
        let mut delivered = self.delivered.range(..=record);
        delivered.find_map(|(record, settled)| (!settled).then_some(*record))
    }
}

/// A delivery: which record, and under which lease it was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handled {
    pub(super) record: RecordId,
    pub(super) tenure: u64,
    pub(super) generation: u64,
    pub(super) at: Micros,
}

#[derive(Default)]
pub(super) struct Oracle {
    pub(super) records: Vec<Tracked>,
    /// The records of each key, and how many of the first are delivered or need not be.
    keys: BTreeMap<usize, (Vec<RecordId>, usize)>,
    pub(super) tenures: BTreeMap<u64, Tenure>,
    /// The latest tenure of each shard.
    pub(super) latest: BTreeMap<usize, u64>,
    /// Shards whose records are promised from now on.
    pub(super) covered: BTreeSet<usize>,
    pub(super) ended: BTreeSet<usize>,
    pub(super) released: BTreeSet<usize>,
    /// Until when each lease lasts.
    pub(super) lasts: BTreeMap<usize, Micros>,
    /// How often each shard was repositioned.
    epochs: BTreeMap<usize, u64>,
    /// Which reposition a row's cursor and its checkpoint are of.
    pub(super) cursor_epochs: BTreeMap<usize, u64>,
    pub(super) checkpoint_epochs: BTreeMap<usize, u64>,
    reads: BTreeMap<u64, VecDeque<Micros>>,
    /// How often a lease went to another process.
    pub(super) moves: u64,
}

type Held = Result<(), String>;

impl Oracle {
    /// Whether what `shard` holds from now on is promised to be read: its row says from where, or
    /// those of its ancestors do. One that aged out before anybody took it is no longer known to be
    /// an ancestor.
    fn is_promised(&self, stream: &Stream, shard: usize) -> bool {
        if self.covered.contains(&shard) {
            return true;
        }
        let of = &stream.shards[shard];
        let mut parents = of.parents.iter();
        of.aged_out.is_none()
            && !of.parents.is_empty()
            && parents.all(|parent| self.is_promised(stream, *parent))
    }

    /// A shard aged out: what nobody promises any more is not owed.
    pub(super) fn aged_out(&mut self, stream: &Stream) {
        for shard in 0..stream.shards.len() {
            if !self.is_promised(stream, shard) {
                self.skipped(stream, shard, stream.shards[shard].records.len());
            }
        }
    }

    pub(super) fn published(&mut self, stream: &Stream, record: RecordId, now: Micros) {
        let of = &stream.log[record];
        let due = self.is_promised(stream, of.shard).then_some(now);
        self.records.push(Tracked {
            due,
            ordered: due.is_some(),
            ..Tracked::default()
        });
        self.keys.entry(of.key).or_default().0.push(record);
    }

    pub(super) fn trimmed(&mut self, records: &[RecordId]) {
        for record in records {
            self.records[*record].trimmed = true;
        }
    }

    /// What of `shard` lies before `place` is passed by, as somebody asked.
    pub(super) fn skipped(&mut self, stream: &Stream, shard: usize, place: usize) {
        let of = &stream.shards[shard];
        for record in &of.records[..place] {
            self.records[*record].due = None;
            self.records[*record].ordered = false;
        }
        // Who passes by a shard up to its end passes by what its children held by then.
        if place > 0 && place == of.records.len() && of.closed.is_some() {
            for (child, held) in stream.shards.iter().enumerate() {
                if held.parents.contains(&shard) && !self.covered.contains(&child) {
                    self.skipped(stream, child, held.records.len());
                }
            }
        }
    }

    /// What of `shard` lies at `place` and after is to be delivered, not before `due`.
    pub(super) fn owed(&mut self, stream: &Stream, shard: usize, place: usize, due: Micros) {
        for record in &stream.shards[shard].records[place..] {
            let tracked = &mut self.records[*record];
            tracked.due = tracked.due.max(Some(due));
        }
    }

    /// Another reposition of `shard`.
    pub(super) fn next_epoch(&mut self, shard: usize) -> u64 {
        let epoch = self.epochs.entry(shard).or_default();
        *epoch += 1;
        *epoch
    }

    /// A process asks for the lease of `shard`.
    pub(super) fn asks(&mut self, process: Process, shard: usize, skips: bool) -> u64 {
        let tenure = self.tenures.len() as u64;
        self.tenures.insert(
            tenure,
            Tenure {
                shard,
                process,
                skips,
                epoch: 0,
                superseded: None,
                generations: BTreeMap::new(),
            },
        );
        tenure
    }

    /// Reading begins between two places of the shard.
    pub(super) fn begins(
        &mut self,
        tenure: u64,
        generation: u64,
        epoch: u64,
        next: (usize, usize),
        now: Micros,
    ) {
        let tenure = self.tenures.get_mut(&tenure).expect("one that was asked");
        tenure.generations.insert(
            generation,
            Generation {
                epoch,
                began: now,
                next,
                delivered: BTreeMap::new(),
            },
        );
    }

    /// A page of `shard` is asked for under `tenure`, by a call that was sent then.
    pub(super) fn read(&mut self, world: &World, tenure: u64, shard: usize, sent: Micros) -> Held {
        let now = world.now();
        let stream = world.stream.borrow();
        let of = &stream.shards[shard];
        for parent in &of.parents {
            let gone = stream.shards[*parent].aged_out.is_some();
            let table = world.table.borrow();
            let progress = table
                .row(&of.id)
                .is_some_and(|row| row.checkpoint.is_some());
            if !self.ended.contains(parent) && !gone && !progress {
                let parent = &stream.shards[*parent].id;
                return Err(format!(
                    "{} is read before its parent {parent} ended",
                    of.id
                ));
            }
        }
        if now - sent > ON_ITS_WAY {
            // Nobody waits for it any more, and nobody could count it.
            return Ok(());
        }
        let reads = self.reads.entry(tenure).or_default();
        reads.push_back(now);
        if reads.len() > READS_PER_SECOND {
            let since = reads.pop_front().expect("there are more than five");
            if now - since < SECOND {
                return Err(format!("a reader reads {} six times a second", of.id));
            }
        }
        Ok(())
    }

    /// A record is handed to a handler.
    pub(super) fn delivered(&mut self, world: &World, handled: Handled) -> Held {
        let stream = world.stream.borrow();
        let of = &stream.log[handled.record];
        let shard = &stream.shards[of.shard];
        let tenure = self
            .tenures
            .get_mut(&handled.tenure)
            .expect("one that was asked");
        if let Some(since) = tenure.superseded {
            let lease = world.scenario.timings.lease_ttl;
            let stalled = world.executor.last_stall(tenure.process);
            let excused = stalled.is_some_and(|at| at + micros(lease) >= since);
            if !excused && handled.at > since + CLOCKS_APART {
                return Err(format!(
                    "process {} delivers of {} though another took its lease",
                    tenure.process, shard.id
                ));
            }
        }
        let place = shard
            .records
            .partition_point(|record| *record < handled.record);
        let generation = tenure
            .generations
            .get_mut(&handled.generation)
            .expect("one that began");
        let (low, high) = generation.next;
        if place < low {
            return Err(format!("{} delivers {} again", shard.id, handled.record));
        }
        let passed = shard.records.get(high..place).unwrap_or_default();
        if let Some(passed) = passed.iter().find(|passed| !self.records[**passed].trimmed) {
            return Err(format!("{} skips {passed}", shard.id));
        }
        generation.next = (place + 1, place + 1);
        generation.delivered.insert(handled.record, false);
        let tracked = &mut self.records[handled.record];
        let first = !std::mem::replace(&mut tracked.delivered, true);
        world.count(|counts| {
            counts.deliveries += 1;
            counts.redeliveries += u64::from(!first);
        });
        if first {
            self.in_order(&stream, of.key, of.nth)
        } else {
            Ok(())
        }
    }

    /// Whether the records of `key` before its `nth` were delivered.
    fn in_order(&mut self, stream: &Stream, key: usize, nth: usize) -> Held {
        let (records, through) = self.keys.get_mut(&key).expect("a key with records");
        while *through < nth {
            let before = &self.records[records[*through]];
            if before.ordered && !before.delivered && !before.trimmed {
                let (before, record) = (records[*through], records[nth]);
                let shard = |record: RecordId| &stream.shards[stream.log[record].shard].id;
                return Err(format!(
                    "record {record} of {} is handled before {before} of {}, which is its key's",
                    shard(record),
                    shard(before),
                ));
            }
            *through += 1;
        }
        Ok(())
    }

    /// A handler is done with a record.
    pub(super) fn settled(&mut self, handled: Handled) {
        let tracked = &mut self.records[handled.record];
        tracked.settled = tracked.settled.max(Some(handled.at));
        if let Some(generation) = self.generation(handled.tenure, handled.generation) {
            generation.delivered.insert(handled.record, true);
        }
    }

    /// A handler leaves a record unhandled, under a lease that is `current` as far as its process
    /// knows: it is to be delivered again.
    pub(super) fn left(&mut self, world: &World, handled: Handled, current: bool) {
        let shard = self.tenures[&handled.tenure].shard;
        let Some(generation) = self.generation(handled.tenure, handled.generation) else {
            return;
        };
        let epoch = generation.epoch;
        let (stream, table) = (world.stream.borrow(), world.table.borrow());
        let row = table.row(&stream.shards[shard].id);
        let of_row = if row.is_some_and(|row| row.cursor.is_some()) {
            &self.cursor_epochs
        } else {
            &self.checkpoint_epochs
        };
        // A reposition that the store never heard of is over with its lease.
        let known = of_row.get(&shard).copied().unwrap_or(0) == epoch;
        if known && current && self.latest.get(&shard) == Some(&handled.tenure) {
            let tracked = &mut self.records[handled.record];
            tracked.due = tracked.due.max(Some(world.now()));
        }
    }

    pub(super) fn generation(&mut self, tenure: u64, generation: u64) -> Option<&mut Generation> {
        let tenure = self.tenures.get_mut(&tenure)?;
        tenure.generations.get_mut(&generation)
    }

    /// The first record of `shard` up to `last` that is promised and not handled.
    pub(super) fn owed_up_to(
        &self,
        stream: &Stream,
        shard: usize,
        last: RecordId,
    ) -> Option<RecordId> {
        let records = stream.shards[shard].records.iter().copied();
        records
            .take_while(|record| *record <= last)
            .find(|record| self.records[*record].is_owed())
    }

    /// Every record that is promised and not handled.
    pub(super) fn all_owed(&self) -> Vec<RecordId> {
        (0..self.records.len())
            .filter(|record| self.records[*record].is_owed())
            .collect()
    }
}

pub(super) fn micros(duration: Duration) -> Micros {
    Micros::try_from(duration.as_micros()).expect("a time in years")
}

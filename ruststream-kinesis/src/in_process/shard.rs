//! One stream's single shard: its records, and how far its reader has read.
//!
//! Every change reports what it adds to or takes from the harness's counts under the lock that
//! makes it, so that the counts are exact whenever nothing is being changed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::task::Waker;

use bytes::Bytes;

use super::counts::Counts;
use super::sequence;
use crate::clock;
use crate::position::KinesisPosition;

/// The id of the one shard a stream has in process.
pub(super) const SHARD_ID: &str = "shardId-000000000000";

/// One record as the publisher wrote it.
pub(super) struct Record {
    pub(super) partition_key: String,
    pub(super) data: Bytes,
    arrived: u64,
}

/// A shard behind its lock.
#[derive(Default)]
pub(super) struct Shard {
    state: Mutex<State>,
}

impl Shard {
    /// Makes one change, and wakes the reader where it leaves something to read.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let (changed, waker) = {
            // No change is left half made, so a poisoned state is a whole one.
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let changed = change(&mut state);
            (changed, state.waker_if_readable())
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        changed
    }

    /// Wakes the reader whatever there is to read.
    pub(super) fn wake(&self) {
        let waker = self.change(|state| state.reader.as_mut()?.waker.take());
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The records, and the reader where a subscription is open.
#[derive(Default)]
pub(super) struct State {
    pub(super) records: Vec<Record>,
    reader: Option<Reader>,
    opened: u64,
}

/// How far a subscription has read.
struct Reader {
    id: u64,
    /// The index of the next record to deliver.
    next: usize,
    /// The latest delivery of each record that is delivered and not settled. What a seek or a
    /// replay reopens leaves it, so a settlement of an earlier reading finds nothing to do.
    unsettled: BTreeMap<usize, u64>,
    deliveries: u64,
    /// The record the next read goes back to.
    back_to: Option<usize>,
    waker: Option<Waker>,
}

/// One reading of one record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) index: usize,
    delivery: u64,
}

impl Reading {
    pub(super) fn sequence(self) -> String {
        sequence::of(self.index)
    }
}

impl State {
    pub(super) fn append(&mut self, partition_key: String, data: Bytes, counts: &Counts) {
        // Never earlier than the record before it, whatever the host's clock does.
        let arrived = clock::wall_millis().max(self.last_arrival());
        self.records.push(Record {
            partition_key,
            data,
            arrived,
        });
        if self.reader.is_some() {
            counts.enqueued(1);
        }
    }

    /// Opens the reader at the tip and answers its id; nothing where one is open.
    pub(super) fn open(&mut self) -> Option<u64> {
        if self.reader.is_some() {
            return None;
        }
        self.opened += 1;
        self.reader = Some(Reader {
            id: self.opened,
            next: self.records.len(),
            unsettled: BTreeMap::new(),
            deliveries: 0,
            back_to: None,
            waker: None,
        });
        Some(self.opened)
    }

    /// Closes the reader: what it has not read is not going to be answered.
    pub(super) fn close(&mut self, id: u64, counts: &Counts) {
        if let Some(reader) = self.reader.take_if(|reader| reader.id == id) {
            counts.consumed(self.records.len() - reader.next);
        }
    }

    /// Takes the next record; without one, notes who waits for it.
    pub(super) fn read(
        &mut self,
        id: u64,
        waker: &Waker,
        counts: &Counts,
    ) -> Option<(&Record, Reading)> {
        let reader = reader(&mut self.reader, id)?;
        if let Some(index) = reader.back_to.take() {
            reader.reopen(index, counts);
        }
        let index = reader.next;
        let Some(record) = self.records.get(index) else {
            reader.waker = Some(waker.clone());
            return None;
        };
        reader.next += 1;
        reader.deliveries += 1;
        let delivery = reader.deliveries;
        reader.unsettled.insert(index, delivery);
        Some((record, Reading { index, delivery }))
    }

    /// Whether the reading is the latest of its record, not settled and not sought past.
    pub(super) fn is_current(&self, id: u64, reading: Reading) -> bool {
        let reader = self.reader.as_ref().filter(|reader| reader.id == id);
        reader.is_some_and(|reader| reader.unsettled.get(&reading.index) == Some(&reading.delivery))
    }

    /// The reading is settled, or dropped.
    pub(super) fn forget(&mut self, id: u64, reading: Reading) {
        if let Some(reader) = reader(&mut self.reader, id) {
            reader.take(reading);
        }
    }

    /// The record is left unhandled: it is read again with every record after it, at once or from
    /// the next read on. Nothing where it was reopened since.
    pub(super) fn leave(&mut self, id: u64, reading: Reading, at_once: bool, counts: &Counts) {
        let Some(reader) = reader(&mut self.reader, id) else {
            return;
        };
        if !reader.take(reading) {
            return;
        }
        if at_once {
            reader.reopen(reading.index, counts);
        } else {
            let earlier = reader.back_to.unwrap_or(reading.index);
            reader.back_to = Some(reading.index.min(earlier));
        }
    }

    /// Moves the reader; nothing where it is closed.
    pub(super) fn seek(&mut self, id: u64, to: usize, counts: &Counts) {
        let Some(reader) = reader(&mut self.reader, id) else {
            return;
        };
        counts.consumed(to.saturating_sub(reader.next));
        counts.enqueued(reader.next.saturating_sub(to));
        reader.next = to;
        reader.unsettled.clear();
        reader.back_to = None;
    }

    pub(super) fn is_open(&self, id: u64) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.id == id)
    }

    /// The index a position names.
    ///
    /// # Errors
    ///
    /// A sentence, where the shard holds no such position.
    pub(super) fn find(&self, position: &KinesisPosition) -> Result<usize, &'static str> {
        match position {
            KinesisPosition::Horizon => Ok(0),
            KinesisPosition::Latest => Ok(self.records.len()),
            KinesisPosition::Timestamp(millis) => {
                // The service refuses an instant of the future.
                if *millis > clock::wall_millis().max(self.last_arrival()) {
                    return Err("the instant lies in the future");
                }
                Ok(self
                    .records
                    .partition_point(|record| record.arrived < *millis))
            }
            KinesisPosition::Sequence { shard, .. } if shard != SHARD_ID => {
                Err("the stream has no such shard")
            }
            KinesisPosition::Sequence { sequence, .. } => sequence::index(sequence)
                .filter(|index| *index < self.records.len())
                .ok_or("the shard holds no record of that sequence number"),
        }
    }

    fn last_arrival(&self) -> u64 {
        self.records.last().map_or(0, |record| record.arrived)
    }

    fn waker_if_readable(&mut self) -> Option<Waker> {
        let reader = self.reader.as_mut()?;
        let readable = reader.next < self.records.len() || reader.back_to.is_some();
        readable.then(|| reader.waker.take())?
    }
}

impl Reader {
    /// Whether the reading is the latest of its record, which it then no longer is.
    fn take(&mut self, reading: Reading) -> bool {
        if self.unsettled.get(&reading.index) != Some(&reading.delivery) {
            return false;
        }
        self.unsettled.remove(&reading.index);
        true
    }

    /// Goes back to a record that was read, unless the reader is there already.
    fn reopen(&mut self, index: usize, counts: &Counts) {
        if index < self.next {
            counts.enqueued(self.next - index);
            self.next = index;
            self.unsettled.split_off(&index);
        }
    }
}

fn reader(reader: &mut Option<Reader>, id: u64) -> Option<&mut Reader> {
    reader.as_mut().filter(|reader| reader.id == id)
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::{Counts, KinesisPosition, Reading, State};

    /// A shard of three records, and its reader at the horizon.
    fn three_records(counts: &Counts) -> (State, u64) {
        let mut state = State::default();
        for data in ["a", "b", "c"] {
            state.append("key".to_owned(), data.into(), counts);
        }
        let id = state.open().expect("the first reader");
        state.seek(id, 0, counts);
        (state, id)
    }

    fn read_all(state: &mut State, id: u64, counts: &Counts) -> Vec<Reading> {
        std::iter::from_fn(|| Some(state.read(id, Waker::noop(), counts)?.1)).collect()
    }

    fn indices(readings: &[Reading]) -> Vec<usize> {
        readings.iter().map(|reading| reading.index).collect()
    }

    #[test]
    fn records_left_unhandled_out_of_order_all_come_back() {
        let counts = Counts::default();
        let (mut state, id) = three_records(&counts);
        let first = read_all(&mut state, id, &counts);
        state.leave(id, first[1], true, &counts);
        state.leave(id, first[0], true, &counts);
        let second = read_all(&mut state, id, &counts);
        assert_eq!(indices(&second), [0, 1, 2]);
    }

    #[test]
    fn a_record_that_came_back_is_not_left_unhandled_by_its_earlier_reading() {
        let counts = Counts::default();
        let (mut state, id) = three_records(&counts);
        let first = read_all(&mut state, id, &counts);
        state.leave(id, first[0], true, &counts);
        let second = read_all(&mut state, id, &counts);
        state.leave(id, first[2], true, &counts);
        assert_eq!(read_all(&mut state, id, &counts).len(), 0);
        state.leave(id, second[2], true, &counts);
        assert_eq!(indices(&read_all(&mut state, id, &counts)), [2]);
    }

    #[test]
    fn records_left_by_hand_come_back_with_the_next_read_from_the_earliest_on() {
        let counts = Counts::default();
        let (mut state, id) = three_records(&counts);
        let first = read_all(&mut state, id, &counts);
        state.leave(id, first[2], false, &counts);
        state.leave(id, first[1], false, &counts);
        assert_eq!(indices(&read_all(&mut state, id, &counts)), [1, 2]);
    }

    #[test]
    fn a_seek_forgets_what_was_left_and_what_is_not_settled() {
        let counts = Counts::default();
        let (mut state, id) = three_records(&counts);
        let first = read_all(&mut state, id, &counts);
        state.leave(id, first[0], false, &counts);
        state.seek(id, 3, &counts);
        state.leave(id, first[1], true, &counts);
        assert_eq!(read_all(&mut state, id, &counts).len(), 0);
    }

    #[test]
    fn a_settled_record_is_not_left_unhandled() {
        let counts = Counts::default();
        let (mut state, id) = three_records(&counts);
        let first = read_all(&mut state, id, &counts);
        state.forget(id, first[0]);
        state.leave(id, first[0], true, &counts);
        assert_eq!(read_all(&mut state, id, &counts).len(), 0);
    }

    #[test]
    fn a_closed_reader_moves_nothing_of_the_next_one() {
        let counts = Counts::default();
        let (mut state, id) = three_records(&counts);
        let first = read_all(&mut state, id, &counts);
        assert!(state.open().is_none());
        state.close(id, &counts);
        let next = state.open().expect("the stream is free");
        state.leave(id, first[0], true, &counts);
        state.seek(id, 0, &counts);
        state.close(id, &counts);
        assert!(state.is_open(next) && !state.is_open(id));
        assert_eq!(read_all(&mut state, next, &counts).len(), 0);
    }

    #[test]
    fn records_of_one_instant_open_together() {
        let counts = Counts::default();
        let (mut state, _) = three_records(&counts);
        state.records[0].arrived = 1;
        state.records[1].arrived = 5;
        state.records[2].arrived = 5;
        for (instant, index) in [(0, 0), (1, 0), (2, 1), (5, 1), (6, 3)] {
            let found = state.find(&KinesisPosition::timestamp(instant));
            assert_eq!(found, Ok(index), "{instant}");
        }
    }

    #[test]
    fn arrivals_never_go_back_with_the_clock() {
        let counts = Counts::default();
        let (mut state, _) = three_records(&counts);
        state.records[2].arrived = u64::MAX - 1;
        state.append("key".to_owned(), "d".into(), &counts);
        assert_eq!(state.records[3].arrived, u64::MAX - 1);
    }
}

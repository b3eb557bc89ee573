//! A model of one Kinesis stream, by what its API reference documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::executor::{Executor, Process};
use super::scenario::Scenario;
use super::world::{BEGINS, Failure};
use crate::rules::cursor::Cursor;
use crate::rules::pacing::READS_PER_SECOND;
use crate::rules::shard_graph::{Listed, ShardId};

/// Hash keys are below this.
const HASH_KEYS: u64 = 1 << 16;
/// Bytes of records in one page. Source: `GetRecords` API reference.
pub(super) const PAGE_BYTES: u64 = 10 * 1024 * 1024;
/// Sequence numbers begin short and grow longer as the stream does.
const FIRST_SEQUENCE: usize = 61;
const SEQUENCE_STEP: usize = 7;

/// The place of a record in the stream's log.
pub(super) type RecordId = usize;

pub(super) fn sequence_of(record: RecordId) -> String {
    (FIRST_SEQUENCE + record * SEQUENCE_STEP).to_string()
}

/// The record of a sequence number of this stream.
pub(super) fn record_of(sequence: &str) -> RecordId {
    let number: usize = sequence.parse().expect("a sequence number of the model");
    (number - FIRST_SEQUENCE) / SEQUENCE_STEP
}

#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) shard: usize,
    pub(super) key: usize,
    /// Which of its key's records it is.
    pub(super) nth: usize,
    /// Milliseconds since the epoch by the service's clock.
    pub(super) arrived: u64,
    pub(super) bytes: u64,
}

pub(super) struct Shard {
    pub(super) id: ShardId,
    pub(super) parents: Vec<usize>,
    /// First and last hash key.
    range: (u64, u64),
    pub(super) records: Vec<RecordId>,
    /// How many of the records are past the retention.
    pub(super) trimmed: usize,
    born: u64,
    pub(super) closed: Option<u64>,
    pub(super) aged_out: Option<u64>,
}

struct Iterator {
    shard: usize,
    position: usize,
    made: u64,
}

pub(super) struct Stream {
    pub(super) log: Vec<Record>,
    pub(super) shards: Vec<Shard>,
    by_id: BTreeMap<ShardId, usize>,
    iterators: Vec<Iterator>,
    /// What is older is past the retention.
    pub(super) horizon: u64,
    /// Records of each key so far.
    keys: Vec<usize>,
    /// The latest reads of each shard, by anybody.
    reads: Vec<Vec<u64>>,
    /// How long an iterator lasts, in milliseconds.
    iterator_life: u64,
    /// The shards each process was not told of, and when that was last.
    pub(super) left_out: BTreeMap<(Process, ShardId), u64>,
}

pub(super) struct Page {
    pub(super) records: Vec<RecordId>,
    pub(super) next: Option<String>,
    pub(super) behind: u64,
}

/// An iterator and the service's clock to the second, as the `Date` of its answer.
pub(super) struct Made {
    pub(super) token: String,
    pub(super) made_at: u64,
}

impl Stream {
    pub(super) fn new(dice: &Executor, scenario: &Scenario) -> Self {
        let mut stream = Self {
            log: Vec::new(),
            shards: Vec::new(),
            by_id: BTreeMap::new(),
            iterators: Vec::new(),
            horizon: BEGINS,
            keys: vec![0; scenario.keys],
            reads: Vec::new(),
            iterator_life: if dice.chance(300) { 4_000 } else { 300_000 },
            left_out: BTreeMap::new(),
        };
        let count = scenario.shards as u64;
        for shard in 0..count {
            let range = (
                HASH_KEYS * shard / count,
                HASH_KEYS * (shard + 1) / count - 1,
            );
            stream.open(vec![], range, BEGINS);
        }
        stream
    }

    fn open(&mut self, parents: Vec<usize>, range: (u64, u64), born: u64) {
        // Ids whose order is not that of their ages.
        let age = self.shards.len();
        let id: ShardId = format!("shard-{:02}", (age * 37 + 11) % 100).into();
        self.by_id.insert(Arc::clone(&id), age);
        self.reads.push(Vec::new());
        self.shards.push(Shard {
            id,
            parents,
            range,
            records: Vec::new(),
            trimmed: 0,
            born,
            closed: None,
            aged_out: None,
        });
    }

    pub(super) fn index(&self, id: &str) -> usize {
        self.by_id[id]
    }

    pub(super) fn open_shards(&self) -> Vec<usize> {
        let open = |shard: &usize| self.shards[*shard].closed.is_none();
        (0..self.shards.len()).filter(open).collect()
    }

    pub(super) fn put(&mut self, key: usize, bytes: u64, now: u64) -> RecordId {
        let hash = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        let shard = self
            .open_shards()
            .into_iter()
            .find(|shard| {
                (self.shards[*shard].range.0..=self.shards[*shard].range.1).contains(&hash)
            })
            .expect("open shards cover the hash keys");
        let record = self.log.len();
        self.log.push(Record {
            shard,
            key,
            nth: self.keys[key],
            arrived: now,
            bytes,
        });
        self.keys[key] += 1;
        self.shards[shard].records.push(record);
        record
    }

    pub(super) fn split(&mut self, shard: usize, now: u64) -> bool {
        let (first, last) = self.shards[shard].range;
        if last <= first {
            return false;
        }
        self.shards[shard].closed = Some(now);
        let middle = first + (last - first) / 2;
        self.open(vec![shard], (first, middle), now);
        self.open(vec![shard], (middle + 1, last), now);
        true
    }

    /// The open shard whose hash keys follow those of `shard`.
    pub(super) fn neighbour(&self, shard: usize) -> Option<usize> {
        let follows = self.shards[shard].range.1 + 1;
        self.open_shards()
            .into_iter()
            .find(|other| self.shards[*other].range.0 == follows)
    }

    pub(super) fn merge(&mut self, one: usize, other: usize, now: u64) {
        self.shards[one].closed = Some(now);
        self.shards[other].closed = Some(now);
        let range = (self.shards[one].range.0, self.shards[other].range.1);
        self.open(vec![one, other], range, now);
    }

    /// Lets the retention pass everything older than `horizon`; answers those records, and how many
    /// shards are gone with theirs.
    pub(super) fn trim(&mut self, horizon: u64, now: u64) -> (Vec<RecordId>, u64) {
        self.horizon = horizon;
        let (mut trimmed, mut aged_out) = (Vec::new(), 0);
        for shard in &mut self.shards {
            let old = |record: &&RecordId| self.log[**record].arrived < horizon;
            let rest = shard.records[shard.trimmed..].iter();
            let before = trimmed.len();
            trimmed.extend(rest.take_while(old));
            shard.trimmed += trimmed.len() - before;
            if shard.closed.is_some_and(|closed| closed < horizon) && shard.aged_out.is_none() {
                shard.aged_out = Some(now);
                aged_out += 1;
            }
        }
        (trimmed, aged_out)
    }

    /// The shards as they were at `at`, all but `left_out`.
    pub(super) fn listing(&self, at: u64, left_out: Option<&ShardId>) -> Vec<Listed> {
        self.shards
            .iter()
            .filter(|shard| shard.born <= at && shard.aged_out.is_none_or(|aged| aged > at))
            .filter(|shard| Some(&shard.id) != left_out)
            .map(|shard| {
                let parent = |nth: usize| {
                    let parent = shard.parents.get(nth)?;
                    Some(Arc::clone(&self.shards[*parent].id))
                };
                Listed {
                    id: Arc::clone(&shard.id),
                    parent: parent(0),
                    adjacent_parent: parent(1),
                    open: shard.closed.is_none_or(|closed| closed > at),
                }
            })
            .collect()
    }

    /// `GetShardIterator`.
    pub(super) fn iterator(
        &mut self,
        id: &str,
        cursor: &Cursor,
        now: u64,
    ) -> Result<Made, Failure> {
        let shard = self.by_id[id];
        let held = &self.shards[shard];
        if held.aged_out.is_some_and(|aged| aged <= now) {
            return Err(Failure::NotFound);
        }
        let at = |record: RecordId| {
            let position = held.records.partition_point(|other| *other < record);
            // A place before the trim horizon is no place of the shard any more.
            if position < held.trimmed {
                Err(Failure::InvalidArgument)
            } else {
                Ok(position)
            }
        };
        let position = match cursor {
            Cursor::Horizon => held.trimmed,
            Cursor::Tip => held.records.len(),
            Cursor::Timestamp(millis) => held
                .records
                .partition_point(|record| self.log[*record].arrived < *millis)
                .max(held.trimmed),
            Cursor::At(sequence) => at(record_of(sequence))?,
            Cursor::After(sequence) => at(record_of(sequence))? + 1,
        };
        self.iterators.push(Iterator {
            shard,
            position,
            made: now,
        });
        Ok(Made {
            token: (self.iterators.len() - 1).to_string(),
            made_at: now / 1_000 * 1_000,
        })
    }

    /// The shard and the place in it that an iterator stands for.
    pub(super) fn place(&self, token: &str) -> (usize, usize) {
        let token: usize = token.parse().expect("a token of the model");
        let iterator = &self.iterators[token];
        (iterator.shard, iterator.position)
    }

    /// `GetRecords`; `most` records, and `hidden` for a page that shows none of those there are.
    pub(super) fn page(
        &mut self,
        token: &str,
        most: usize,
        hidden: bool,
        late_end: bool,
        now: u64,
    ) -> Result<Page, Failure> {
        let number: usize = token.parse().expect("a token of the model");
        let Iterator {
            shard,
            position,
            made,
        } = self.iterators[number];
        if now >= made + self.iterator_life {
            return Err(Failure::Expired);
        }
        let reads = &mut self.reads[shard];
        reads.retain(|read| read + 1_000 > now);
        if reads.len() >= READS_PER_SECOND {
            return Err(Failure::Throttled);
        }
        reads.push(now);
        let held = &self.shards[shard];
        let from = position.max(held.trimmed);
        let mut bytes = 0;
        let records: Vec<_> = held.records[from..]
            .iter()
            .take(if hidden { 0 } else { most })
            .take_while(|record| {
                bytes += self.log[**record].bytes;
                bytes <= PAGE_BYTES
            })
            .copied()
            .collect();
        let position = from + records.len();
        let rest = held.records.get(position);
        let behind = rest.map_or(0, |record| (now - self.log[*record].arrived).max(1));
        let over = held.closed.is_some() && rest.is_none();
        let next = (!over || (late_end && !records.is_empty())).then(|| {
            self.iterators.push(Iterator {
                shard,
                position,
                made: now,
            });
            (self.iterators.len() - 1).to_string()
        });
        Ok(Page {
            records,
            next,
            behind,
        })
    }
}

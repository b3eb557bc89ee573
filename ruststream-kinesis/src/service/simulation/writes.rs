//! What each write to the table means for what is promised.

use std::sync::Arc;

use super::oracle::{Oracle, micros};
use super::stream::{RecordId, Stream, record_of};
use super::table::{Write, Writer};
use super::world::World;
use crate::lease::{LeaseState, SHARD_END};
use crate::rules::cursor::Cursor;
use crate::rules::cursor_text;
use crate::rules::row::Row;

type Held = Result<(), String>;

impl Oracle {
    /// A write was done to the row of `id`.
    pub(super) fn written(
        &mut self,
        world: &World,
        id: &str,
        write: &Write,
        writer: &Writer,
        before: &LeaseState,
        row: &Row,
    ) -> Held {
        let stream = world.stream.borrow();
        let shard = stream.index(id);
        match write {
            Write::Take(opening) => {
                let taken = self.taken(world, &stream, shard, writer);
                self.lasts_from_now(world, shard);
                let replaced = opening.replaces && opening.cursor.is_some();
                let epoch = if replaced {
                    self.next_epoch(shard)
                } else if row.cursor.is_some() {
                    self.cursor_epochs.get(&shard).copied().unwrap_or(0)
                } else {
                    self.checkpoint_epochs.get(&shard).copied().unwrap_or(0)
                };
                let tenure = self
                    .tenures
                    .get_mut(&writer.tenure)
                    .expect("one that asked");
                tenure.epoch = epoch;
                let skips = tenure.skips;
                if row.cursor.is_some() {
                    self.cursor_epochs.insert(shard, epoch);
                }
                let cursor = opening.cursor.as_deref().and_then(cursor_text::read);
                if let Some(cursor) = cursor.filter(|_| skips && row.cursor == opening.cursor) {
                    let place = place_of(&stream, shard, &cursor);
                    self.skipped(&stream, shard, place);
                    // Who is dead by now is not to read it, and who knows it as over does not look.
                    let process = self.tenures[&writer.tenure].process;
                    if replaced && world.executor.is_alive(process) {
                        self.owed(&stream, shard, place, world.now());
                    }
                }
                taken
            }
            Write::Renew => {
                self.lasts_from_now(world, shard);
                Ok(())
            }
            Write::Release => {
                self.released.insert(shard);
                Ok(())
            }
            Write::KeepCursor(_) => {
                self.covered.insert(shard);
                world.count(|counts| counts.positions_kept += 1);
                let generation = self.generation(writer.tenure, writer.generation);
                let generation = generation.expect("one that began");
                let (epoch, began, place) = (generation.epoch, generation.began, generation.hi());
                self.cursor_epochs.insert(shard, epoch);
                // What was delivered since is of this generation, and counts.
                // The shard may have been moved on before the store heard of it.
                let generations = &self.tenures[&writer.tenure].generations;
                if generations.keys().next_back() == Some(&writer.generation) {
                    self.owed(&stream, shard, place, began);
                }
                Ok(())
            }
            Write::Checkpoint(sequence) if sequence == SHARD_END => {
                self.shard_ended(world, &stream, shard, writer)
            }
            Write::Checkpoint(sequence) => {
                world.count(|counts| counts.checkpoints += 1);
                self.checkpointed(world, &stream, shard, sequence, writer, before)
            }
        }
    }

    fn taken(&mut self, world: &World, stream: &Stream, shard: usize, writer: &Writer) -> Held {
        let released = self.released.remove(&shard);
        let lasts = self.lasts.get(&shard).copied().unwrap_or(0);
        let process = self.tenures[&writer.tenure].process;
        let old = self.latest.insert(shard, writer.tenure);
        let Some(old) = old.filter(|old| *old != writer.tenure) else {
            return Ok(());
        };
        let old = self.tenures.get_mut(&old).expect("one that asked");
        old.superseded.get_or_insert(world.now());
        if old.process == process {
            return Ok(());
        }
        self.moves += 1;
        world.count(|counts| counts.takeovers += u64::from(!released));
        if !released && world.now() < lasts {
            let id = &stream.shards[shard].id;
            return Err(format!("{id} is taken from an owner whose lease is live"));
        }
        Ok(())
    }

    fn lasts_from_now(&mut self, world: &World, shard: usize) {
        let lease = micros(world.scenario.timings.lease_ttl);
        self.lasts.insert(shard, world.now() + lease);
    }

    /// The owner's reading must have settled everything up to `last`.
    fn passes_only_settled(
        &mut self,
        stream: &Stream,
        shard: usize,
        last: RecordId,
        writer: &Writer,
    ) -> Held {
        let id = Arc::clone(&stream.shards[shard].id);
        if self.latest[&shard] != writer.tenure {
            return Err(format!("{id} is checkpointed under a lease that is over"));
        }
        let generation = self.generation(writer.tenure, writer.generation);
        let generation = generation.expect("one that began");
        if let Some(record) = generation.unsettled_up_to(last) {
            return Err(format!(
                "the checkpoint of {id} passes {record}, which is unsettled"
            ));
        }
        if let Some(record) = self.owed_up_to(stream, shard, last) {
            return Err(format!(
                "the checkpoint of {id} passes {record}, which nobody handled"
            ));
        }
        Ok(())
    }

    fn checkpointed(
        &mut self,
        world: &World,
        stream: &Stream,
        shard: usize,
        sequence: &str,
        writer: &Writer,
        before: &LeaseState,
    ) -> Held {
        let record = record_of(sequence);
        self.passes_only_settled(stream, shard, record, writer)?;
        self.covered.insert(shard);
        let epoch = self.epoch_of(writer);
        let id = &stream.shards[shard].id;
        let old = self.checkpoint_epochs.insert(shard, epoch).unwrap_or(0);
        if epoch < old {
            return Err(format!("the checkpoint of {id} is of before a reposition"));
        }
        let lower = match before.checkpoint.as_deref() {
            None => false,
            Some(SHARD_END) => true,
            Some(before) => record < record_of(before),
        };
        if lower && epoch == old {
            return Err(format!("the checkpoint of {id} goes back to {record}"));
        }
        world.count(|counts| counts.lower_checkpoints += u64::from(lower));
        Ok(())
    }

    fn shard_ended(
        &mut self,
        world: &World,
        stream: &Stream,
        shard: usize,
        writer: &Writer,
    ) -> Held {
        let held = &stream.shards[shard];
        if held.closed.is_none() {
            return Err(format!("{} is open and marked as read to its end", held.id));
        }
        self.passes_only_settled(stream, shard, RecordId::MAX, writer)?;
        world.count(|counts| counts.shards_ended += 1);
        let epoch = self.epoch_of(writer);
        self.checkpoint_epochs.insert(shard, epoch);
        self.covered.insert(shard);
        self.ended.insert(shard);
        Ok(())
    }

    fn epoch_of(&mut self, writer: &Writer) -> u64 {
        let generation = self.generation(writer.tenure, writer.generation);
        generation.expect("one that began").epoch
    }
}

/// Where in the shard a stored cursor stands.
pub(super) fn place_of(stream: &Stream, shard: usize, cursor: &Cursor) -> usize {
    let held = &stream.shards[shard];
    let first_from = |record: RecordId| held.records.partition_point(|other| *other < record);
    match cursor {
        Cursor::Horizon => 0,
        Cursor::Tip => held.records.len(),
        Cursor::Timestamp(millis) => held
            .records
            .partition_point(|record| stream.log[*record].arrived < *millis),
        Cursor::At(sequence) => first_from(record_of(sequence)),
        Cursor::After(sequence) => first_from(record_of(sequence) + 1),
    }
}

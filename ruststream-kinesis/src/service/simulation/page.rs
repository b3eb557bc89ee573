//! Pages on their way to the handlers, and deliveries. Imitates `service::page`, `service::block`
//! and `service::subscription::Delivery`.

use std::rc::Rc;
use std::vec;

use tokio::sync::OwnedSemaphorePermit;

use super::oracle::Handled;
use super::settlement::Refused;
use super::shard::Shard;
use super::stream::{RecordId, sequence_of};
use crate::rules::packing::Size;
use crate::service::budget::{Reservation, charge};
use crate::service::progress::Ticket;

/// Records that are fetched, of which none was delivered yet.
struct Undelivered {
    records: Vec<RecordId>,
    _bytes: Buffered,
    _reservation: Reservation,
}

/// Bytes that are in memory until this is dropped.
struct Buffered {
    shard: Rc<Shard>,
    bytes: usize,
}

impl Buffered {
    fn new(shard: &Rc<Shard>, bytes: usize) -> Self {
        let host = &shard.host;
        host.buffered.set(host.buffered.get() + bytes);
        Self {
            shard: Rc::clone(shard),
            bytes,
        }
    }
}

impl Drop for Buffered {
    fn drop(&mut self) {
        let buffered = &self.shard.host.buffered;
        buffered.set(buffered.get() - self.bytes);
    }
}

pub(super) struct Page {
    shard: Rc<Shard>,
    generation: u64,
    next_ordinal: u64,
    blocks: vec::IntoIter<Undelivered>,
    block: Option<Rc<Block>>,
    index: usize,
    _ahead: OwnedSemaphorePermit,
}

struct Block {
    shard: Rc<Shard>,
    generation: u64,
    first: u64,
    undelivered: Undelivered,
}

impl Drop for Block {
    fn drop(&mut self) {
        self.shard.end_block();
    }
}

impl Page {
    /// Packs `records` and parts the page's reservation among the blocks.
    pub(super) fn new(
        shard: &Rc<Shard>,
        generation: u64,
        first_ordinal: u64,
        mut records: Vec<RecordId>,
        mut reservation: Reservation,
        ahead: OwnedSemaphorePermit,
    ) -> Self {
        let world = &shard.host.world;
        let mut blocks = Vec::new();
        while !records.is_empty() {
            let size = Size::of_next(records.iter().map(|record| {
                let bytes = world.stream.borrow().log[*record].bytes;
                (usize::try_from(bytes).expect("small"), 10)
            }));
            let rest = records.split_off(size.records);
            blocks.push(Undelivered {
                records,
                _bytes: Buffered::new(shard, size.bytes()),
                _reservation: reservation.split(charge(size.bytes())),
            });
            records = rest;
        }
        Self {
            shard: Rc::clone(shard),
            generation,
            next_ordinal: first_ordinal,
            blocks: blocks.into_iter(),
            block: None,
            index: 0,
            _ahead: ahead,
        }
    }

    /// The next record, or nothing once the page is through or the shard was repositioned or stops.
    pub(super) fn next(&mut self) -> Option<Delivery> {
        if !self.shard.delivers(self.generation) {
            return None;
        }
        let delivery = self.advance()?;
        let world = &self.shard.host.world;
        let held = world.oracle.borrow_mut().delivered(world, delivery.handled);
        world.check(held);
        Some(delivery)
    }

    fn advance(&mut self) -> Option<Delivery> {
        let block = if let Some(block) = self.block.take() {
            block
        } else {
            let undelivered = self.blocks.next()?;
            let first = self.next_ordinal;
            self.next_ordinal += undelivered.records.len() as u64;
            self.index = 0;
            if !self.shard.begin_block(self.generation) {
                return None;
            }
            Rc::new(Block {
                shard: Rc::clone(&self.shard),
                generation: self.generation,
                first,
                undelivered,
            })
        };
        let index = self.index;
        self.index += 1;
        if self.index < block.undelivered.records.len() {
            self.block = Some(Rc::clone(&block));
        }
        let handled = Handled {
            record: block.undelivered.records[index],
            tenure: self.shard.tenure,
            generation: self.generation,
            at: self.shard.host.world.now(),
        };
        Some(Delivery {
            block,
            index,
            handled,
        })
    }
}

/// A record, and what it needs to be settled; dropping it leaves the record unhandled.
pub(super) struct Delivery {
    block: Rc<Block>,
    index: usize,
    pub(super) handled: Handled,
}

impl Delivery {
    pub(super) fn key(&self) -> usize {
        let world = &self.block.shard.host.world;
        world.stream.borrow().log[self.handled.record].key
    }

    fn ticket(&self) -> Ticket {
        Ticket {
            generation: self.block.generation,
            ordinal: self.block.first + self.index as u64,
        }
    }

    /// The handler is done with the record.
    pub(super) async fn settle(self) -> Result<(), Refused> {
        let shard = Rc::clone(&self.block.shard);
        let world = &shard.host.world;
        if shard.generation() != self.handled.generation {
            world.count(|counts| counts.stale_deliveries += 1);
        }
        world.oracle.borrow_mut().settled(self.handled);
        let settled = shard.settle(self.ticket(), &sequence_of(self.handled.record))?;
        drop(self);
        match settled {
            Some(settled) => shard.store_settled(settled).await,
            None => Ok(()),
        }
    }

    /// The handler leaves the record unhandled.
    pub(super) fn leave(self) {
        let shard = &self.block.shard;
        let world = &shard.host.world;
        let current = shard.generation() == self.handled.generation;
        world.count(|counts| counts.left_unhandled += 1);
        let mut oracle = world.oracle.borrow_mut();
        oracle.left(world, self.handled, current);
    }
}

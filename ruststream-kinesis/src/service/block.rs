//! The records of a page on their way to the handlers: a delivery is a place in a block.
//!
//! Records freed one by one on the handlers' threads contend for the heap of the reader's and leave
//! holes in it. A block is freed at once, and what is counted for a record is counted for its block.

use std::sync::Arc;

use aws_sdk_kinesis::types::Record;

use super::budget::{Reservation, charge};
use super::progress::Ticket;
use super::shard::Shard;
use crate::rules::packing::{Packed, Size};

/// Records that are fetched, of which none was delivered yet.
pub(super) struct Undelivered {
    records: Packed,
    reservation: Reservation,
}

impl Undelivered {
    /// Packs a page, and parts its reservation among the blocks.
    pub(super) fn pack(records: Vec<Record>, mut reservation: Reservation) -> Vec<Self> {
        let mut blocks = Vec::new();
        let mut records = records.into_iter();
        while !records.as_slice().is_empty() {
            let size = Size::of_next(records.as_slice().iter().map(lengths));
            let mut packed = Packed::new(size);
            for record in records.by_ref().take(size.records) {
                packed.push(
                    record.data.into_inner(),
                    &record.sequence_number,
                    record.partition_key.as_deref(),
                );
            }
            blocks.push(Self {
                records: packed,
                reservation: reservation.split(charge(size.bytes() + size_of::<Block>())),
            });
        }
        blocks
    }

    pub(super) const fn len(&self) -> usize {
        self.records.len()
    }
}

fn lengths(record: &Record) -> (usize, usize) {
    let key = record.partition_key.as_ref().map_or(0, String::len);
    (
        record.data.as_ref().len(),
        record.sequence_number.len() + key,
    )
}

/// Records of which at least one was delivered; gone with the last of the deliveries, once the page
/// is past it.
pub(crate) struct Block {
    shard: Arc<Shard>,
    generation: u64,
    /// The ordinal of the first record.
    first: u64,
    records: Packed,
    /// Given back once the records are freed: fields drop in this order.
    _reservation: Reservation,
}

impl Block {
    /// Begins to deliver; nothing where the shard delivers nothing more of `generation`.
    pub(super) fn begin(
        shard: &Arc<Shard>,
        generation: u64,
        first: u64,
        undelivered: Undelivered,
    ) -> Option<Arc<Self>> {
        shard.begin_block(generation).then(|| {
            Arc::new(Self {
                shard: Arc::clone(shard),
                generation,
                first,
                records: undelivered.records,
                _reservation: undelivered.reservation,
            })
        })
    }

    pub(super) const fn shard(&self) -> &Arc<Shard> {
        &self.shard
    }

    pub(super) const fn records(&self) -> &Packed {
        &self.records
    }

    pub(super) const fn ticket(&self, index: usize) -> Ticket {
        Ticket {
            generation: self.generation,
            ordinal: self.first + index as u64,
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.shard.end_block();
    }
}

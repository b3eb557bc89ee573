//! What the readers hand to the subscription: pages of records, and reports.

use std::sync::Arc;
use std::vec;

use aws_sdk_kinesis::types::Record;
use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::budget::RECORD_OVERHEAD;
use super::progress::Ticket;
use super::shard::Shard;
use super::subscription::Delivery;
use crate::error::KinesisError;
use crate::fetched::Fetched;
use crate::rules::aggregate;

/// One thing for the subscription's stream.
pub(crate) enum Item {
    Page(Page),
    Report(KinesisError),
}

/// The way to the subscription's stream.
#[derive(Clone)]
pub(crate) struct Outlet(mpsc::Sender<Item>);

impl Outlet {
    /// An outlet and its end.
    pub(super) fn new(capacity: usize) -> (Self, mpsc::Receiver<Item>) {
        let (sender, receiver) = mpsc::channel(capacity);
        (Self(sender), receiver)
    }

    /// Hands over a page; `false` once nobody reads the stream any more.
    pub(super) async fn hand_over(&self, page: Page) -> bool {
        self.0.send(Item::Page(page)).await.is_ok()
    }

    /// Reports trouble on the stream. A stream that nobody polls loses reports, not records.
    pub(super) fn report(&self, error: KinesisError) {
        if let Err(mpsc::error::TrySendError::Full(Item::Report(error))) =
            self.0.try_send(Item::Report(error))
        {
            tracing::warn!(target: "ruststream::kinesis", %error, "report dropped");
        }
    }
}

/// The records of one read, in shard order.
pub(crate) struct Page {
    shard: Arc<Shard>,
    generation: u64,
    next_ordinal: u64,
    records: vec::IntoIter<Record>,
    /// Lets the reader fetch another page once this one is delivered.
    _ahead: OwnedSemaphorePermit,
}

impl Page {
    pub(super) fn new(
        shard: Arc<Shard>,
        generation: u64,
        first_ordinal: u64,
        records: Vec<Record>,
        ahead: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            shard,
            generation,
            next_ordinal: first_ordinal,
            records: records.into_iter(),
            _ahead: ahead,
        }
    }

    /// The next record, or nothing once the page is through or the shard was repositioned.
    pub(super) fn next(&mut self) -> Option<Result<Fetched<Delivery>, KinesisError>> {
        if self.shard.generation() != self.generation {
            return None;
        }
        let record = self.records.next()?;
        let ticket = Ticket {
            generation: self.generation,
            ordinal: self.next_ordinal,
            bytes: cost(&record),
        };
        self.next_ordinal += 1;
        let data = record.data.into_inner();
        if aggregate::is_aggregated(&data) {
            self.shard.pass(ticket, record.sequence_number);
            return Some(Err(KinesisError::AggregatedRecord {
                shard: self.shard.id().to_string(),
            }));
        }
        Some(Ok(Fetched {
            data: Bytes::from(data),
            partition_key: record.partition_key,
            sequence: record.sequence_number,
            delivery: Delivery::new(Arc::clone(&self.shard), ticket),
        }))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let left = self.records.as_slice();
        if !left.is_empty() {
            // Undelivered records are read again; after a shutdown there is nothing to say.
            let _ = self
                .shard
                .leave(left.len() as u64, left.iter().map(cost).sum());
        }
    }
}

/// The bytes a record takes until it is settled.
pub(super) fn cost(record: &Record) -> usize {
    record.data.as_ref().len()
        + record.partition_key.as_ref().map_or(0, String::len)
        + RECORD_OVERHEAD
}

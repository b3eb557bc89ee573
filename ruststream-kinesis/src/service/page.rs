//! What the readers hand to the subscription: pages of records, and reports.

use std::sync::Arc;
use std::vec;

use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::block::{Block, Undelivered};
use super::shard::Shard;
use super::subscription::Delivery;
use crate::error::KinesisError;
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

/// The records of one read, in shard order. What is not delivered of them is read again.
pub(crate) struct Page {
    shard: Arc<Shard>,
    generation: u64,
    /// The ordinal of the first record of `blocks`.
    next_ordinal: u64,
    blocks: vec::IntoIter<Undelivered>,
    /// The block that is being delivered, and its next record.
    block: Option<Arc<Block>>,
    index: usize,
    /// Lets the reader fetch another page once this one is delivered.
    _ahead: OwnedSemaphorePermit,
}

impl Page {
    pub(super) fn new(
        shard: Arc<Shard>,
        generation: u64,
        first_ordinal: u64,
        blocks: Vec<Undelivered>,
        ahead: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            shard,
            generation,
            next_ordinal: first_ordinal,
            blocks: blocks.into_iter(),
            block: None,
            index: 0,
            _ahead: ahead,
        }
    }

    /// The next record, or nothing once the page is through or the shard was repositioned or stops.
    pub(super) fn next(&mut self) -> Option<Result<Delivery, KinesisError>> {
        if !self.shard.delivers(self.generation) {
            return None;
        }
        let delivery = self.advance()?;
        if aggregate::is_aggregated(delivery.data()) {
            delivery.pass();
            return Some(Err(KinesisError::AggregatedRecord {
                shard: self.shard.id().to_string(),
            }));
        }
        Some(Ok(delivery))
    }

    fn advance(&mut self) -> Option<Delivery> {
        let block = if let Some(block) = self.block.take() {
            block
        } else {
            let undelivered = self.blocks.next()?;
            let first = self.next_ordinal;
            self.next_ordinal += undelivered.len() as u64;
            self.index = 0;
            Block::begin(&self.shard, self.generation, first, undelivered)?
        };
        let index = self.index;
        self.index += 1;
        if self.index < block.records().len() {
            self.block = Some(Arc::clone(&block));
        }
        Some(Delivery::new(block, index))
    }
}

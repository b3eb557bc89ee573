//! What the readers hand to the subscription: pages of records, and reports.

use std::sync::Arc;
use std::vec;

use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::block::{Block, Undelivered};
use super::shard::Shard;
use super::subscription::Delivery;
use crate::error::KinesisError;
use crate::rules::aggregate;

/// Pages on their way to one subscription's stream; the memory budget bounds them before that.
const PAGES: usize = 256;
/// Reports that wait for the stream to be polled.
const REPORTS: usize = 64;

/// The way to the subscription's stream.
#[derive(Clone)]
pub(crate) struct Outlet {
    pages: mpsc::Sender<Page>,
    /// Apart from the pages, so that neither waits for the other.
    reports: mpsc::Sender<KinesisError>,
}

impl Outlet {
    /// An outlet, and the ends of its pages and its reports.
    pub(super) fn new() -> (Self, mpsc::Receiver<Page>, mpsc::Receiver<KinesisError>) {
        let (pages, handed_over) = mpsc::channel(PAGES);
        let (reports, reported) = mpsc::channel(REPORTS);
        (Self { pages, reports }, handed_over, reported)
    }

    /// Hands over a page; `false` once nobody reads the stream any more.
    pub(super) async fn hand_over(&self, page: Page) -> bool {
        self.pages.send(page).await.is_ok()
    }

    /// Reports trouble on the stream. A stream that nobody polls loses reports, not records.
    pub(super) fn report(&self, error: KinesisError) {
        if let Err(mpsc::error::TrySendError::Full(error)) = self.reports.try_send(error) {
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

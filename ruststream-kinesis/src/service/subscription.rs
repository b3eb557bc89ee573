//! What a subscriber and its deliveries hold of the service's side.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::sync::{mpsc, watch};
use tokio::task::coop;

use super::block::Block;
use super::page::Page;
use super::seek::Seek;
use super::stop::{Stop, stop_at_least};
use super::stream::ReadLimit;
use crate::error::KinesisError;

/// One open subscription; dropping it stops its readers and frees its stream.
pub(crate) struct Subscription {
    pages: mpsc::Receiver<Page>,
    reports: mpsc::Receiver<KinesisError>,
    page: Option<Page>,
    limit: ReadLimit,
    seek: Seek,
    stop: watch::Sender<Stop>,
}

impl Subscription {
    pub(super) fn new(
        pages: mpsc::Receiver<Page>,
        reports: mpsc::Receiver<KinesisError>,
        limit: ReadLimit,
        seek: Seek,
        stop: watch::Sender<Stop>,
    ) -> Self {
        Self {
            pages,
            reports,
            page: None,
            limit,
            seek,
            stop,
        }
    }

    pub(crate) fn read_limit(&self) -> ReadLimit {
        self.limit.clone()
    }

    pub(crate) fn seek(&self) -> Seek {
        self.seek.clone()
    }

    pub(crate) fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Delivery, KinesisError>>> {
        // A page is read without waiting, which must not keep everything else off this thread.
        let budget = ready!(coop::poll_proceed(cx));
        // Trouble is told before the records that wait, however long their handlers take.
        if !self.reports.is_empty()
            && let Poll::Ready(Some(error)) = self.reports.poll_recv(cx)
        {
            budget.made_progress();
            return Poll::Ready(Some(Err(error)));
        }
        loop {
            if let Some(page) = &mut self.page {
                if let Some(record) = page.next() {
                    budget.made_progress();
                    return Poll::Ready(Some(record));
                }
                self.page = None;
            }
            let over = match self.pages.poll_recv(cx) {
                Poll::Ready(Some(page)) => {
                    self.page = Some(page);
                    continue;
                }
                Poll::Ready(None) => true,
                Poll::Pending => false,
            };
            // The stream ends with the last report.
            return match self.reports.poll_recv(cx) {
                Poll::Ready(None) if !over => Poll::Pending,
                report => report.map(|error| error.map(Err)),
            };
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        stop_at_least(&self.stop, Stop::Drain);
    }
}

/// A record, and what it needs to be settled; dropping it leaves the record unhandled.
pub(crate) struct Delivery {
    block: Arc<Block>,
    index: usize,
}

impl Delivery {
    pub(super) const fn new(block: Arc<Block>, index: usize) -> Self {
        Self { block, index }
    }

    pub(crate) fn data(&self) -> &[u8] {
        self.block.records().data(self.index)
    }

    pub(crate) fn sequence(&self) -> &str {
        self.block.records().sequence(self.index)
    }

    pub(crate) fn partition_key(&self) -> Option<&str> {
        self.block.records().partition_key(self.index)
    }

    pub(crate) fn shard(&self) -> &str {
        self.block.shard().id()
    }

    pub(crate) fn seek(&self) -> Seek {
        self.block.shard().seek().clone()
    }

    /// Whether the shard was repositioned since the record was handed over.
    pub(crate) fn is_stale(&self) -> bool {
        self.block.shard().generation() != self.block.ticket(self.index).generation
    }

    /// Marks the record handled, and stores the checkpoint where that moves the watermark.
    pub(crate) async fn settle(self, certain: bool) -> Result<(), KinesisError> {
        let shard = Arc::clone(self.block.shard());
        let settled = shard.settle(self.block.ticket(self.index), self.sequence())?;
        // A store that takes its time keeps neither the records nor who waits for them to be gone.
        drop(self);
        match settled {
            Some(settled) => shard.store_settled(settled, certain).await,
            None => Ok(()),
        }
    }

    /// Passes the record by: no handler is to see it.
    pub(super) fn pass(self) {
        let ticket = self.block.ticket(self.index);
        self.block.shard().pass(ticket, self.sequence());
    }

    pub(crate) fn leave(self) -> Result<(), KinesisError> {
        self.block.shard().leave()
    }
}

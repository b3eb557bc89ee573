//! What a subscriber and its deliveries hold of the service's side.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::sync::{mpsc, watch};
use tokio::task::coop;

use super::page::{Item, Page};
use super::progress::Ticket;
use super::seek::Seek;
use super::shard::Shard;
use super::stop::{Stop, stop_at_least};
use super::stream::ReadLimit;
use crate::error::KinesisError;
use crate::fetched::Fetched;

/// One open subscription; dropping it stops its readers and frees its stream.
pub(crate) struct Subscription {
    items: mpsc::Receiver<Item>,
    page: Option<Page>,
    limit: ReadLimit,
    seek: Seek,
    stop: watch::Sender<Stop>,
}

impl Subscription {
    pub(super) fn new(
        items: mpsc::Receiver<Item>,
        limit: ReadLimit,
        seek: Seek,
        stop: watch::Sender<Stop>,
    ) -> Self {
        Self {
            items,
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
    ) -> Poll<Option<Result<Fetched<Delivery>, KinesisError>>> {
        // A page is read without waiting, which must not keep everything else off this thread.
        let budget = ready!(coop::poll_proceed(cx));
        loop {
            if let Some(page) = &mut self.page {
                if let Some(record) = page.next() {
                    budget.made_progress();
                    return Poll::Ready(Some(record));
                }
                self.page = None;
            }
            match self.items.poll_recv(cx) {
                Poll::Ready(Some(Item::Page(page))) => self.page = Some(page),
                Poll::Ready(Some(Item::Report(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        stop_at_least(&self.stop, Stop::Drain);
    }
}

/// What a delivery needs to be settled; dropping it leaves the record unhandled.
pub(crate) struct Delivery {
    shard: Option<Arc<Shard>>,
    ticket: Ticket,
}

impl Delivery {
    pub(super) const fn new(shard: Arc<Shard>, ticket: Ticket) -> Self {
        Self {
            shard: Some(shard),
            ticket,
        }
    }

    fn live(&self) -> &Arc<Shard> {
        self.shard
            .as_ref()
            .expect("a settled delivery is consumed by its settlement")
    }

    pub(crate) fn shard(&self) -> &str {
        self.live().id()
    }

    pub(crate) fn seek(&self) -> Seek {
        self.live().seek().clone()
    }

    /// Whether the shard was repositioned since the record was handed over.
    pub(crate) fn is_stale(&self) -> bool {
        self.live().generation() != self.ticket.generation
    }

    pub(crate) async fn settle(
        mut self,
        sequence: String,
        certain: bool,
    ) -> Result<(), KinesisError> {
        let Some(shard) = self.shard.take() else {
            return Ok(());
        };
        shard.settle(self.ticket, sequence, certain).await
    }

    pub(crate) fn leave(mut self) -> Result<(), KinesisError> {
        match self.shard.take() {
            Some(shard) => shard.leave(1, self.ticket.bytes),
            None => Ok(()),
        }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if let Some(shard) = self.shard.take() {
            // Nobody is left to hear it.
            let _ = shard.leave(1, self.ticket.bytes);
        }
    }
}

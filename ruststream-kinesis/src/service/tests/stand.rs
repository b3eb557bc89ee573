//! A shard this process holds, without a service.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_kinesis::primitives::Blob;
use aws_sdk_kinesis::types::Record;
use futures::FutureExt;

use crate::lease::{LeaseKey, LeaseState, LeaseStore, LeaseTimings, MemoryLeaseStore, Opening};
use crate::rules::packing::BLOCK;
use crate::service::block::Undelivered;
use crate::service::budget::Budget;
use crate::service::held_lease::{HeldLease, Keeping};
use crate::service::page::Page;
use crate::service::seek::Seek;
use crate::service::shard::Shard;
use crate::service::subscription::Delivery;

/// A shard this process holds, and a budget that one page takes whole.
pub(super) struct Stand {
    pub(super) store: Arc<dyn LeaseStore>,
    pub(super) shard: Arc<Shard>,
    pub(super) keeping: Keeping,
    budget: Budget,
    read: usize,
}

pub(super) fn key() -> LeaseKey {
    LeaseKey::new("orders", "shardId-000000000000")
}

impl Stand {
    pub(super) async fn new() -> Self {
        Self::over(Arc::new(MemoryLeaseStore::new()), None).await
    }

    /// Over that store, with that checkpoint interval.
    pub(super) async fn over(
        store: Arc<dyn LeaseStore>,
        checkpoint_interval: Option<Duration>,
    ) -> Self {
        let owner = Arc::from("me");
        let (timings, opening) = (LeaseTimings::default(), Opening::default());
        let taken = HeldLease::take(&store, key(), &owner, timings, &opening).await;
        let (lease, _) = taken
            .expect("a store in memory")
            .expect("the shard is free");
        let keeping = lease.keeping();
        let (seek, _) = Seek::new("orders".into());
        Self {
            shard: Arc::new(Shard::new(
                key().shard().into(),
                seek,
                checkpoint_interval,
                lease,
                Arc::default(),
            )),
            store,
            keeping,
            budget: Budget::new(BLOCK),
            read: 0,
        }
    }

    /// The next records of the shard, with that data. Their sequence numbers count from ten.
    pub(super) async fn page(&mut self, data: &[&[u8]]) -> Page {
        let records: Vec<Record> = data
            .iter()
            .map(|data| {
                self.read += 1;
                Record::builder()
                    .data(Blob::new(*data))
                    .partition_key("key")
                    .sequence_number((self.read + 9).to_string())
                    .build()
                    .expect("every field that must be there")
            })
            .collect();
        let generation = self.shard.generation();
        let reservation = self.budget.reserve_page().await;
        let ahead = Arc::clone(&self.shard.pages_ahead).acquire_owned().await;
        let first = self.shard.admit(generation, records.len());
        Page::new(
            Arc::clone(&self.shard),
            generation,
            first.expect("the page is not stale"),
            Undelivered::pack(records, reservation),
            ahead.expect("nobody closes it"),
        )
    }

    pub(super) fn is_drained(&self) -> bool {
        self.shard.drained().now_or_never().is_some()
    }

    /// Whether a page could be asked for: whether the budget is whole again.
    pub(super) fn is_free(&self) -> bool {
        self.budget.reserve_page().now_or_never().is_some()
    }

    pub(super) async fn checkpoint(&self) -> Option<String> {
        let row: LeaseState = self.store.read(&key()).await.expect("a store in memory");
        row.checkpoint
    }
}

pub(super) fn delivered(page: &mut Page) -> Delivery {
    let next = page.next().expect("the page goes on");
    next.expect("a record, not a report")
}

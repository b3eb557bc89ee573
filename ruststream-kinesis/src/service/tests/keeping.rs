//! What the task does that keeps a shard's lease.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::stand::{Stand, delivered, key};
use crate::clock;
use crate::lease::{LeaseError, LeaseKey, LeaseState, LeaseStore, MemoryLeaseStore};
use crate::service::lease_keeper;
use crate::service::page::Outlet;

/// Fails the first checkpoint.
#[derive(Default)]
struct Flaky {
    inner: MemoryLeaseStore,
    checkpoints: AtomicUsize,
}

impl LeaseStore for Flaky {
    fn acquire<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.inner.acquire(key, owner, ttl)
    }

    fn renew<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.inner.renew(key, owner, ttl)
    }

    fn checkpoint<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        sequence: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        if self.checkpoints.fetch_add(1, Ordering::Relaxed) == 0 {
            return async { Err("the first one fails".into()) }.boxed();
        }
        self.inner.checkpoint(key, owner, sequence)
    }

    fn read<'a>(&'a self, key: &'a LeaseKey) -> BoxFuture<'a, Result<LeaseState, LeaseError>> {
        self.inner.read(key)
    }

    fn release<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.inner.release(key, owner)
    }
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_that_an_interval_could_not_store_does_not_wait_for_the_next_one() {
    let store = Arc::new(Flaky::default());
    let interval = Duration::from_mins(10);
    let mut stand = Stand::over(store.clone(), Some(interval)).await;
    let record = delivered(&mut stand.page(&[b"a"]).await);
    record.settle(false).await.expect("the lease is held");
    let (outlet, _pages, mut reports) = Outlet::new();
    let renew_every = stand.keeping.renew_every();
    let shard = Arc::clone(&stand.shard);
    let began = clock::now();
    let keeping = tokio::spawn(lease_keeper::keep(shard, stand.keeping, outlet));

    reports.recv().await.expect("the failure is reported");
    let reported = clock::now() - began;
    assert!(reported >= interval, "{reported:?}");
    tokio::time::sleep(renew_every + Duration::from_secs(1)).await;
    let state = store.read(&key()).await;
    let stored = state.expect("a store in memory").checkpoint;
    assert_eq!(stored.as_deref(), Some("10"));
    assert_eq!(store.checkpoints.load(Ordering::Relaxed), 2);
    keeping.abort();
}

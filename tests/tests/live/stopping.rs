//! What stops a shard's reader for good, and what must not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ruststream::IncomingMessage;
use ruststream_kinesis::{LeaseError, LeaseKey, LeaseState, LeaseStore, MemoryLeaseStore};
use tests::live::{OneStream, lasting, record, shard, text};
use tests::store::{Op, RecordingStore, Twist};

const LEASE: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ack_nobody_polls_any_more_keeps_no_ended_shard_from_its_next_owner() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let broker = || {
        live.broker()
            .lease_store(store.clone())
            .lease_timings(lasting(LEASE))
    };
    let (_connected, mut subscriber) = live.open(broker()).await;
    // The next owner resumes from a checkpoint: a store of the five calls keeps no cursor.
    live.put("key", "first").await;
    let first = record(&mut subscriber).await;
    first.ack().await.expect("the lease is held");
    live.put("key", "last").await;
    let last = record(&mut subscriber).await;
    live.split(&shard(0)).await;
    let held = store.once(Op::Checkpoint, Twist::Hold);
    let mut ack = last.ack().boxed();
    assert!((&mut ack).now_or_never().is_none(), "the store holds it");
    drop(subscriber);

    let (_next_connected, mut next) = live.open(broker()).await;
    assert_eq!(text(&record(&mut next).await), "last");
    drop(ack);
    drop(held);
}

/// A store that panics instead of renewing, once it is told to.
struct Panicking {
    inner: MemoryLeaseStore,
    panics: AtomicBool,
}

impl LeaseStore for Panicking {
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
        assert!(
            !self.panics.swap(false, Ordering::SeqCst),
            "a store may be broken"
        );
        self.inner.renew(key, owner, ttl)
    }

    fn checkpoint<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        sequence: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_panics_in_a_renewal_costs_the_lease_and_the_shard_is_taken_anew() {
    let live = OneStream::embedded(1).await;
    let store = Arc::new(Panicking {
        inner: MemoryLeaseStore::new(),
        panics: AtomicBool::new(false),
    });
    let broker = live
        .broker()
        .lease_store(store.clone())
        .lease_timings(lasting(LEASE));
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put("key", "before").await;
    let before = record(&mut subscriber).await;
    assert_eq!(text(&before), "before");
    before.ack().await.expect("the lease is held");

    store.panics.store(true, Ordering::SeqCst);
    tests::live::within(async {
        while store.panics.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    live.put("key", "after").await;
    let after = record(&mut subscriber).await;
    assert_eq!(text(&after), "after");
    after.ack().await.expect("the lease is held again");
}

//! What stops a shard's reader for good, and what must not.

use std::time::Duration;

use futures::FutureExt;
use ruststream::IncomingMessage;
use tests::live::{OneStream, record, shard, text};
use tests::store::{Op, RecordingStore, Twist};

const LEASE: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ack_nobody_polls_any_more_keeps_no_ended_shard_from_its_next_owner() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let broker = || live.leasing(&store, LEASE);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_panics_in_a_renewal_costs_the_lease_and_the_shard_is_taken_anew() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let broker = live.leasing(&store, LEASE);
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put("key", "before").await;
    let before = record(&mut subscriber).await;
    assert_eq!(text(&before), "before");
    before.ack().await.expect("the lease is held");

    store.once(Op::Renew, Twist::Panic);
    store.answered(Op::Acquire, 2).await;
    live.put("key", "after").await;
    let after = record(&mut subscriber).await;
    assert_eq!(text(&after), "after");
    after.ack().await.expect("the lease is held again");
}

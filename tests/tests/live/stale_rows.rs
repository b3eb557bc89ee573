//! Rows that are left of an earlier stream of the name.

use std::sync::Arc;
use std::time::Duration;

use ruststream::ConnectedBroker;
use ruststream_kinesis::{LeaseKey, LeaseStore, MemoryLeaseStore, SHARD_END};
use tests::live::{OneStream, handle, shard, within};

/// A store where a row of the stream's first shard holds that checkpoint.
async fn with_row(live: &OneStream, checkpoint: &str) -> Arc<MemoryLeaseStore> {
    let store = MemoryLeaseStore::new();
    let key = LeaseKey::new(live.stream(), shard(0));
    let taken = store.acquire(&key, "old", Duration::from_secs(9)).await;
    assert!(taken.expect("the store answers"));
    let stored = store.checkpoint(&key, "old", checkpoint).await;
    assert!(stored.expect("the store answers"));
    store.release(&key, "old").await.expect("released");
    Arc::new(store)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_shard_is_read_though_its_row_says_it_is_finished() {
    let live = OneStream::embedded(1).await;
    let store = with_row(&live, SHARD_END).await;
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store)).await;
    live.put("key", "one").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_created_again_under_its_name_is_read_and_the_rows_of_the_old_one_are_warned_about()
 {
    tests::events::watch();
    let live = OneStream::embedded(1).await;
    let store = Arc::new(MemoryLeaseStore::new());
    let broker = || live.broker().lease_store(store.clone());
    let (connected, mut subscriber) = live.open(broker()).await;
    live.put_many("key", 0..5).await;
    handle(&mut subscriber, 5).await;
    drop(subscriber);
    within(connected.shutdown()).await.expect("shuts down");

    live.create_again(1).await;
    // Nobody reads yet: all that the new stream holds is newer than what was handled.
    live.put("key", "new").await;
    let (connected, mut subscriber) = live.open(broker()).await;
    assert_eq!(handle(&mut subscriber, 1).await, ["new"]);
    let warnings = tests::events::warnings(live.stream());
    let stale = warnings
        .iter()
        .filter(|line| line.contains("an earlier stream of this name"));
    assert_eq!(stale.count(), 1, "{warnings:?}");
    drop(subscriber);
    within(connected.shutdown()).await.expect("shuts down");

    // From its first checkpoint on the row is that of the new stream.
    live.put("key", "newer").await;
    let (_connected, mut subscriber) = live.open(broker()).await;
    assert_eq!(handle(&mut subscriber, 1).await, ["newer"]);
    let warnings = tests::events::warnings(live.stream());
    let stale = warnings
        .iter()
        .filter(|line| line.contains("an earlier stream of this name"));
    assert_eq!(stale.count(), 1, "{warnings:?}");
}

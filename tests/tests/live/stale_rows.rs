//! Rows that are left of an earlier stream of the name.

use std::sync::Arc;
use std::time::Duration;

use ruststream_kinesis::{LeaseKey, LeaseStore, MemoryLeaseStore, SHARD_END};
use tests::live::{OneStream, handle, shard};

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

//! Rows that are left of an earlier stream of the name.

use std::sync::Arc;

use ruststream::ConnectedBroker;
use ruststream_kinesis::{MemoryLeaseStore, SHARD_END};
use tests::live::{OneStream, handle, shard, within};
use tests::store::left_at;

fn warned(live: &OneStream) -> Vec<String> {
    let mut warnings = tests::events::warnings(live.stream());
    warnings.retain(|line| line.contains("an earlier stream of this name"));
    warnings
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_shard_is_read_though_its_row_says_it_is_finished() {
    let live = OneStream::embedded(1).await;
    let store = left_at(live.stream(), &shard(0), SHARD_END).await;
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
    let stale = warned(&live);
    assert_eq!(stale.len(), 1, "{stale:?}");
    drop(subscriber);
    within(connected.shutdown()).await.expect("shuts down");

    // From its first checkpoint on the row is that of the new stream.
    live.put("key", "newer").await;
    let (_connected, mut subscriber) = live.open(broker()).await;
    assert_eq!(handle(&mut subscriber, 1).await, ["newer"]);
    let stale = warned(&live);
    assert_eq!(stale.len(), 1, "{stale:?}");
}

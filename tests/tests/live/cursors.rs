//! Where a shard is read on when its owner stopped before it had anything to checkpoint.

use std::sync::Arc;
use std::time::Duration;

use ruststream::{ConnectedBroker, Seekable, Seeker};
use ruststream_kinesis::{KinesisPosition, LeaseKey, LeaseStore, MemoryLeaseStore};
use tests::live::{OneStream, Process, handle, numbers, records, shard};
use tests::or_skip;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_that_dies_before_its_first_ack_is_followed_from_where_it_opened() {
    let live = or_skip!(OneStream::start(1));
    let store = Arc::new(MemoryLeaseStore::new());
    let process = Process::start();
    let broker = live.leasing(&store, Duration::from_secs(1));
    let (_connected, mut subscriber) = process.subscribe(broker, live.source()).await;
    live.put_many("key", 0..3).await;
    drop(records(&mut subscriber, 2).await);
    process.kill();
    live.put_many("key", 3..5).await;

    let (_next_connected, mut next) = live.open(live.broker().lease_store(store)).await;
    assert_eq!(handle(&mut next, 5).await, numbers(0..5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_dropped_before_its_first_ack_is_followed_from_where_it_opened() {
    let live = or_skip!(OneStream::start(1));
    let (connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..2).await;
    drop(records(&mut subscriber, 1).await);
    drop(subscriber);
    live.put_many("key", 2..3).await;

    let mut next = live.subscribe(&connected).await;
    assert_eq!(handle(&mut next, 3).await, numbers(0..3));
    connected.shutdown().await.expect("shuts down");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_before_the_first_ack_of_a_replay_resumes_the_replay() {
    let live = or_skip!(OneStream::start(1));
    let store = Arc::new(MemoryLeaseStore::new());
    let process = Process::start();
    let broker = live.leasing(&store, Duration::from_secs(1));
    let (_connected, mut subscriber) = process.subscribe(broker, live.source()).await;
    live.put_many("key", 0..4).await;
    assert_eq!(handle(&mut subscriber, 4).await, numbers(0..4));
    let seeker = subscriber.seeker();
    let sought = process.run(async move { seeker.seek(KinesisPosition::horizon()).await });
    sought.await.expect("sought");
    process.kill();

    let (_next_connected, mut next) = live.open(live.broker().lease_store(store)).await;
    assert_eq!(handle(&mut next, 4).await, numbers(0..4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_ends_the_cursor_in_the_row() {
    let live = or_skip!(OneStream::start(1));
    let store = Arc::new(MemoryLeaseStore::new());
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let key = LeaseKey::new(live.stream(), shard(0));
    let opened = store.read(&key).await.expect("the row");
    assert!(opened.cursor.is_some() && opened.checkpoint.is_none());

    live.put_many("key", 0..1).await;
    handle(&mut subscriber, 1).await;
    let settled = store.read(&key).await.expect("the row");
    assert!(settled.cursor.is_none() && settled.checkpoint.is_some());
}

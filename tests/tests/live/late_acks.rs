//! Acknowledgements that come late, or that nobody polls while the subscription goes on.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use ruststream::{IncomingMessage, Seekable};
use ruststream_kinesis::{KinesisPosition, MemoryLeaseStore};
use tests::live::{OneStream, handle, now, numbers, record, records, seek, shard, within};
use tests::store::{Op, RecordingStore, Twist};
use tokio::time::sleep;

/// How long a checkpoint is in flight.
const SLOW: Twist = Twist::Delay(Duration::from_millis(100));

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_returns_though_an_ack_in_flight_is_not_polled() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put_many("key", 0..2).await;
    let held = records(&mut subscriber, 2).await;
    let mut acks = held.into_iter().map(|record| record.ack().boxed());
    let mut ack = acks.next().expect("two records");
    store.always(Op::Checkpoint, SLOW);
    assert!((&mut ack).now_or_never().is_none(), "the store is slow");
    seek(&subscriber.seeker(), KinesisPosition::horizon()).await;
    drop(ack);
    assert_eq!(handle(&mut subscriber, 2).await, numbers(0..2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_behind_a_replayed_parent_returns_though_an_ack_in_flight_is_not_polled() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "left").await;
    let left = record(&mut subscriber).await;
    store.always(Op::Checkpoint, SLOW);
    let mut ack = left.ack().boxed();
    assert!((&mut ack).now_or_never().is_none(), "the store is slow");
    seek(&subscriber.seeker(), KinesisPosition::horizon()).await;
    drop(ack);
    assert_eq!(handle(&mut subscriber, 2).await, ["parent", "left"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ack_nobody_polls_keeps_no_shard_whose_end_was_read_from_the_next_subscription() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_secs(1));
    let (connected, mut subscriber) = live.open(broker).await;
    live.put_many("key", 0..2).await;
    handle(&mut subscriber, 1).await;
    let last = record(&mut subscriber).await;
    live.split(&shard(0)).await;
    // The reader meets the end.
    sleep(Duration::from_secs(2)).await;
    store.always(Op::Checkpoint, SLOW);
    let mut ack = last.ack().boxed();
    assert!((&mut ack).now_or_never().is_none(), "the store is slow");
    drop(subscriber);

    let mut next = live.subscribe(&connected).await;
    live.put_at(0, "left").await;
    // The ack stored nothing, so its record is read again; its children wait for nobody else.
    assert_eq!(handle(&mut next, 2).await, ["1", "left"]);
    drop(ack);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_before_the_position_is_dropped_though_its_shard_waits_for_its_parent() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "left").await;
    let left = record(&mut subscriber).await;
    // The service's clock shows seconds.
    sleep(Duration::from_millis(1_200)).await;
    let seeker = subscriber.seeker();
    seek(&seeker, KinesisPosition::timestamp(now())).await;
    // An error would mean that the record is read again.
    let dropped = within(left.nack(false)).await;
    live.put_at(0, "next").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["next"]);
    dropped.expect("the record is not read again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_held_across_a_reopening_settle_nothing_of_the_next_subscription() {
    let live = OneStream::embedded(1).await;
    let store = Arc::new(MemoryLeaseStore::new());
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store)).await;
    live.put_many("key", 0..6).await;
    let held = records(&mut subscriber, 6).await;
    drop(subscriber);
    let mut next = live.subscribe(&connected).await;
    let mut fresh = records(&mut next, 6).await;
    for record in held.into_iter().rev() {
        record.ack().await.expect_err("its subscription is gone");
    }
    let last = fresh.pop().expect("six records");
    last.ack().await.expect("the record is acknowledged");
    drop(fresh);
    drop(next);
    let mut last = live.subscribe(&connected).await;
    assert_eq!(handle(&mut last, 6).await, numbers(0..6));
}

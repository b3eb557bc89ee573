//! One subscription's leases: taken, renewed, lost, handed back.

use std::time::{Duration, Instant};

use ruststream::{ConnectedBroker, IncomingMessage};
use ruststream_kinesis::{KinesisStream, LeaseTimings};
use tests::live::{
    OneStream, SLACK, handle, handle_sorted, is_lease_error, numbers, record, report, shard, within,
};
use tests::or_skip;
use tests::store::{Answer, Op, RecordingStore, Twist, Which};
use tests::wire::{create, publish, retained};
use tokio::time::timeout;

/// What a subscription that was dropped waits for its deliveries at most.
const DRAIN: Duration = Duration::from_secs(5);
/// What a shutdown takes at most.
const SHUTDOWN: Duration = Duration::from_secs(8);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_fails_is_reported_by_stream_and_shard_and_the_shard_is_tried_again() {
    let live = or_skip!(OneStream::start(3));
    let store = RecordingStore::new();
    store.once(Which::from(Op::Acquire).shard(shard(0)), Twist::Fail);
    store.once(Which::from(Op::Read).shard(shard(1)), Twist::Fail);
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let mut reported = [report(&mut subscriber).await, report(&mut subscriber).await];
    reported.sort_by_key(ToString::to_string);
    assert!(
        is_lease_error(&reported[0], &live, &shard(0)),
        "{reported:?}"
    );
    assert!(
        is_lease_error(&reported[1], &live, &shard(1)),
        "{reported:?}"
    );
    // What was taken but cannot be read is not kept from others.
    let taken = Which::from(Op::Release).shard(shard(1));
    store.answered(taken, 1).await;

    for (hash_key, text) in [
        (0, "first"),
        (u128::MAX / 2, "second"),
        (u128::MAX, "third"),
    ] {
        live.put_at(hash_key, text).await;
    }
    let handled = handle_sorted(&mut subscriber, 3).await;
    assert_eq!(handled, ["first", "second", "third"]);
    for id in [shard(0), shard(1)] {
        assert_eq!(store.count(Which::from(Op::Acquire).shard(id)), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_store_serves_every_stream_of_a_broker() {
    let live = OneStream::embedded(1).await;
    create(live.client(), "other").await;
    let store = RecordingStore::new();
    let (connected, mut one) = live.open(live.broker().lease_store(store.clone())).await;
    let source = KinesisStream::new("other").poll_interval(Duration::from_millis(200));
    let mut other = connected.subscribe_stream(source).await.expect("opens");
    // Both streams' only shard has one id.
    let written = live.put("key", "one").await;
    assert_eq!(handle(&mut one, 1).await, ["one"]);
    assert_eq!(store.checkpoint_of("other", &shard(0)).await, None);
    let sent = publish(&connected.publisher(), "other", b"other").await;
    sent.expect("the record is written");
    assert_eq!(handle(&mut other, 1).await, ["other"]);
    let of_one = store.checkpoint_of(live.stream(), &shard(0)).await;
    assert_eq!(of_one, Some(written.sequence));
    let of_other = store.checkpoint_of("other", &shard(0)).await;
    let records = retained(live.client(), "other").await;
    assert_eq!(of_other.as_deref(), Some(records[0].sequence_number()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_subscription_releases_its_shards_and_the_next_one_takes_them() {
    let live = or_skip!(OneStream::start(2));
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let low: Vec<_> = [live.put_at(0, "one").await, live.put_at(0, "two").await].into();
    let held = {
        handle(&mut subscriber, 1).await;
        record(&mut subscriber).await
    };
    drop(subscriber);
    // A delivery in flight may settle until the stream is wanted again.
    held.ack().await.expect("the lease is held until then");
    store.answered(Op::Release, 2).await;
    assert_eq!(
        store.checkpoint_of(live.stream(), &low[1].shard).await,
        Some(low[1].sequence.clone())
    );

    let mut subscriber = live.subscribe(&connected).await;
    assert_eq!(store.count(Op::Acquire), 4);
    live.put_many("key", 0..1).await;
    assert_eq!(handle(&mut subscriber, 1).await, numbers(0..1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_subscription_waits_five_seconds_for_its_deliveries_and_then_releases() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put("key", "one").await;
    let held = record(&mut subscriber).await;
    let dropped = Instant::now();
    drop(subscriber);
    let released = store.answered(Op::Release, 1).await[0].at - dropped;
    assert!(released >= DRAIN, "{released:?}");
    assert!(released <= DRAIN + SLACK, "{released:?}");
    within(held.ack())
        .await
        .expect_err("the lease is handed back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_hangs_while_the_subscription_stops_leaves_no_lease_behind() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let timings = LeaseTimings::builder()
        .lease_ttl(Duration::from_secs(8))
        .renew_every(Duration::from_millis(100))
        .build();
    let (connected, subscriber) = live
        .open(
            live.broker()
                .owner_id("first")
                .lease_store(store.clone())
                .lease_timings(timings),
        )
        .await;
    // The renewal in flight outlives what a stop waits for.
    let hung = store.always(Op::Renew, Twist::Hold);
    store.called(Op::Renew, store.count(Op::Renew) + 1).await;
    drop(subscriber);
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    hung.remove();

    // Nobody renews for a subscription that is gone.
    let (_second, _waiting) = live
        .open(live.broker().owner_id("second").lease_store(store.clone()))
        .await;
    let second = Which::from(Op::Acquire).owner("second");
    let taken = async {
        while !store
            .calls(second.clone())
            .iter()
            .any(|call| call.answer == Some(Answer::Yes))
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    within(taken).await;
    within(connected.shutdown()).await.expect("shuts down");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_ends_in_its_time_though_the_store_hangs() {
    let live = or_skip!(OneStream::start(2));
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put("key", "one").await;
    let held = record(&mut subscriber).await;
    for op in [Op::Renew, Op::Checkpoint, Op::Release] {
        store.always(op, Twist::Hold);
    }
    let ack = tokio::spawn(held.ack());
    store.called(Op::Checkpoint, 1).await;
    let shut_down = timeout(SHUTDOWN + SLACK, connected.shutdown()).await;
    shut_down.expect("it ends in its time").expect("shuts down");
    within(ack)
        .await
        .expect("no panic")
        .expect_err("the store hangs");
    let mut stream = std::pin::pin!(ruststream::Subscriber::stream(&mut subscriber));
    let ends = async { while futures::StreamExt::next(&mut stream).await.is_some() {} };
    within(ends).await;
}

//! What of a subscription's progress is in the store, and what a restart makes of it.

use std::time::Duration;

use ruststream::{ConnectedBroker, IncomingMessage, Seekable, Seeker};
use ruststream_kinesis::{KinesisPosition, LeaseTimings};
use tests::live::{OneStream, Process, ack_all, handle, numbers, records, shard};
use tests::or_skip;
use tests::store::{Op, RecordingStore};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_interval_lets_an_ack_resolve_at_once_and_stores_once_per_interval() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    // Renewals come more often than the interval ends.
    let timings = LeaseTimings::builder()
        .lease_ttl(Duration::from_secs(5))
        .renew_every(Duration::from_millis(50))
        .build();
    let broker = live.broker().lease_store(store.clone());
    let interval = Duration::from_millis(800);
    let source = live.source().checkpoint_interval(interval);
    let (_connected, mut subscriber) = live.open_with(broker.lease_timings(timings), source).await;
    let started = std::time::Instant::now();
    let mut last = None;
    for number in 0..10 {
        last = Some(live.put("key", &number.to_string()).await);
        handle(&mut subscriber, 1).await;
    }
    let last = last.expect("a record");
    store
        .stores(live.stream(), &last.shard, &last.sequence)
        .await;
    let intervals = started.elapsed().as_millis() / interval.as_millis() + 1;
    let stored = store.calls(Op::Checkpoint);
    assert!(stored.len() as u128 <= intervals, "{stored:?}");
    for pair in stored.windows(2) {
        // The earlier of the two may have been noted a little late.
        let apart = pair[1].at - pair[0].at;
        assert!(apart + Duration::from_millis(50) >= interval, "{apart:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_interval_stores_the_watermark_when_the_subscription_stops() {
    let live = or_skip!(OneStream::start(1));
    for shut_down in [false, true] {
        let store = RecordingStore::new();
        let broker = live.broker().lease_store(store.clone());
        let source = live.source().checkpoint_interval(Duration::from_hours(1));
        let (connected, mut subscriber) = live.open_with(broker, source).await;
        let written = live.put_many("key", 0..3).await;
        handle(&mut subscriber, 3).await;
        assert_eq!(store.count(Op::Checkpoint), 0);
        if shut_down {
            connected.shutdown().await.expect("shuts down");
        } else {
            drop(subscriber);
        }
        store.answered(Op::Release, 1).await;
        assert_eq!(store.checkpoints(), [written[2].sequence.clone()]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_stored_only_the_prefix_it_acknowledged() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let process = Process::start();
    let broker = live.leasing(&store, Duration::from_secs(1));
    let source = live
        .source()
        .checkpoint_interval(Duration::from_millis(100));
    let (_connected, mut subscriber) = process.subscribe(broker, source).await;
    let written = live.put_many("key", 0..6).await;
    let mut records = records(&mut subscriber, 6).await;
    let in_work = records.remove(3);
    ack_all(records).await;
    store
        .stores(live.stream(), &shard(0), &written[2].sequence)
        .await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    process.kill();
    drop(in_work);
    assert_eq!(
        store.checkpoint_of(live.stream(), &shard(0)).await,
        Some(written[2].sequence.clone())
    );

    let (_next_connected, mut next) = live.open(live.broker().lease_store(store.clone())).await;
    assert_eq!(handle(&mut next, 3).await, numbers(3..6));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_may_store_lower_checkpoints_and_goes_on_after_a_crash() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let process = Process::start();
    let broker = live.leasing(&store, Duration::from_secs(1));
    let (_connected, mut subscriber) = process.subscribe(broker, live.source()).await;
    let written = live.put_many("key", 0..6).await;
    let mut held = records(&mut subscriber, 6).await;
    let stale = held.pop().expect("a record");
    ack_all(held).await;

    let seeker = subscriber.seeker();
    let sought = process.run(async move { seeker.seek(KinesisPosition::horizon()).await });
    sought.await.expect("sought");
    // A record of before the seek moves nothing any more.
    stale.ack().await.expect("acknowledged");
    assert_eq!(store.checkpoints().last(), Some(&written[4].sequence));
    assert_eq!(handle(&mut subscriber, 3).await, numbers(0..3));
    assert_eq!(store.checkpoints().last(), Some(&written[2].sequence));
    process.kill();

    let (_next_connected, mut next) = live.open(live.broker().lease_store(store.clone())).await;
    assert_eq!(handle(&mut next, 3).await, numbers(3..6));
}

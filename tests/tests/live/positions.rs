//! Where a subscription opens.

use std::convert::Infallible;
use std::time::Duration;

use ruststream::{StartAt, SubscriptionSource};
use ruststream_kinesis::KinesisError;
use ruststream_kinesis::prelude::*;
use tests::live::{OneStream, between, handle, handle_sorted, numbers, report, shard, within};
use tests::or_skip;
use tests::store::{Op, RecordingStore, Twist};
use tokio::sync::mpsc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_position_a_shard_opens_at_the_tip_of_the_moment_it_opened() {
    let live = or_skip!(OneStream::start(1));
    live.put("key", "before").await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    // Nothing was read yet, but the tip is taken.
    live.put("key", "after").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_position_a_shard_resumes_after_its_checkpoint() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put_many("key", 0..2).await;
    handle(&mut subscriber, 2).await;
    drop((connected, subscriber));
    store.answered(Op::Release, 1).await;
    live.put_many("key", 2..4).await;
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store)).await;
    assert_eq!(handle(&mut subscriber, 2).await, numbers(2..4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_horizon_is_everything_the_stream_still_retains() {
    let live = OneStream::embedded(2).await;
    live.put_at(0, "forgotten").await;
    live.stack().trim(live.stream()).await;
    live.put_at(0, "low").await;
    live.put_at(u128::MAX, "high").await;
    let horizon = KinesisPosition::horizon();
    let (_connected, mut subscriber) = live
        .open_with(live.broker(), StartAt::new(live.source(), horizon))
        .await;
    assert_eq!(handle_sorted(&mut subscriber, 2).await, ["high", "low"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn latest_is_what_is_published_after() {
    let live = or_skip!(OneStream::start(1));
    live.put("key", "before").await;
    let latest = KinesisPosition::latest();
    let (_connected, mut subscriber) = live
        .open_with(live.broker(), StartAt::new(live.source(), latest))
        .await;
    live.put("key", "after").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_timestamp_is_each_shards_first_record_from_that_instant() {
    let live = OneStream::embedded(2).await;
    for hash_key in [0, u128::MAX] {
        live.put_at(hash_key, "before").await;
    }
    let position = KinesisPosition::timestamp(between().await);
    for hash_key in [0, u128::MAX] {
        live.put_at(hash_key, "after").await;
    }
    let (_connected, mut subscriber) = live
        .open_with(live.broker(), StartAt::new(live.source(), position))
        .await;
    assert_eq!(handle(&mut subscriber, 2).await, ["after", "after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sequence_number_is_exactly_that_record_and_what_follows_it() {
    let live = or_skip!(OneStream::start(1));
    let written = live.put_many("key", 0..4).await;
    let second = KinesisPosition::sequence(shard(0), written[1].sequence.as_str());
    let (_connected, mut subscriber) = live
        .open_with(live.broker(), StartAt::new(live.source(), second))
        .await;
    assert_eq!(handle(&mut subscriber, 3).await, numbers(1..4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_at_wins_over_a_stored_checkpoint() {
    let live = or_skip!(OneStream::start(1));
    let written = live.put_many("key", 0..4).await;
    let sequence = |number: usize| written[number].sequence.as_str();
    let positions = [
        (KinesisPosition::horizon(), 0),
        (KinesisPosition::sequence(shard(0), sequence(3)), 3),
        (KinesisPosition::timestamp(0), 0),
        (KinesisPosition::latest(), 4),
    ];
    for (position, from) in positions {
        let store = RecordingStore::new();
        let horizon = KinesisPosition::horizon();
        let broker = live.broker().lease_store(store.clone());
        let (connected, mut subscriber) = live
            .open_with(broker, StartAt::new(live.source(), horizon))
            .await;
        handle(&mut subscriber, 2).await;
        drop((connected, subscriber));
        store.answered(Op::Release, 1).await;
        let row = store.checkpoint_of(live.stream(), &shard(0)).await;
        assert_eq!(row.as_deref(), Some(sequence(1)));

        let broker = live.broker().lease_store(store.clone());
        let (_connected, mut subscriber) = live
            .open_with(broker, StartAt::new(live.source(), position.clone()))
            .await;
        let marker = format!("after {position:?}");
        live.put("key", &marker).await;
        // The markers of earlier rounds are part of the log by now.
        let first = handle(&mut subscriber, 1).await.remove(0);
        let expected = if from == 4 { marker } else { from.to_string() };
        assert_eq!(first, expected, "{position:?}");
    }
}

#[subscriber(KinesisStream)]
async fn note(
    number: &u64,
    ctx: &mut Context<'_, (), mpsc::UnboundedSender<u64>>,
) -> HandlerOutcome {
    ctx.state().send(*number).expect("the test listens");
    HandlerOutcome::ack()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_settings_chain_before_start_at_where_the_handler_is_mounted() {
    let live = or_skip!(OneStream::start(1));
    live.put_many("key", 0..2).await;
    let (told, mut noted) = mpsc::unbounded_channel();
    let stream = live.stream().to_owned();
    let app = RustStream::new(AppInfo::new("numbers", "0.1.0"))
        .on_startup(async |()| Ok::<_, Infallible>(told))
        .with_broker(live.broker(), |b| {
            b.include(
                note.name(stream)
                    .poll_interval(Duration::from_millis(200))
                    .start_at(KinesisPosition::horizon()),
            );
        });
    let running = app.start().await.expect("the app starts");
    live.put("key", "2").await;
    for number in 0..3 {
        assert_eq!(within(noted.recv()).await, Some(number));
    }
    running.shutdown().await.expect("the app stops");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_at_wins_on_a_shard_the_store_failed_to_give_at_first() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = || live.broker().lease_store(store.clone());
    let (connected, mut subscriber) = live.open(broker()).await;
    live.put_many("key", 0..3).await;
    handle(&mut subscriber, 2).await;
    drop((connected, subscriber));
    store.answered(Op::Release, 1).await;

    store.once(Op::Acquire, Twist::Fail);
    let (_connected, mut subscriber) = live
        .open_with(
            broker(),
            StartAt::new(live.source(), KinesisPosition::horizon()),
        )
        .await;
    let failed = report(&mut subscriber).await;
    assert!(matches!(failed, KinesisError::Lease { .. }), "{failed:?}");
    assert_eq!(handle(&mut subscriber, 3).await, numbers(0..3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_at_reads_a_shard_again_that_its_row_says_is_finished() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = || live.broker().lease_store(store.clone());
    let (connected, mut subscriber) = live.open(broker()).await;
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put("key", "child").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["child"]);
    drop((connected, subscriber));
    store.answered(Op::Release, 3).await;

    let (_connected, mut subscriber) = live
        .open_with(
            broker(),
            StartAt::new(live.source(), KinesisPosition::horizon()),
        )
        .await;
    assert_eq!(handle(&mut subscriber, 2).await, ["parent", "child"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_position_that_cannot_be_taken_fails_the_opening_and_frees_the_stream() {
    let live = or_skip!(OneStream::start(1));
    let connected = live.broker().connect().await.expect("connects");
    let refused = [
        (KinesisPosition::sequence(shard(7), "1"), shard(7)),
        (KinesisPosition::sequence(shard(0), "first"), shard(0)),
        (KinesisPosition::sequence(shard(0), "1"), shard(0)),
        (KinesisPosition::timestamp(u64::MAX), shard(0)),
    ];
    for (position, about) in refused {
        let source = StartAt::new(live.source(), position.clone());
        let opened = within(source.subscribe(&connected)).await;
        let Err(KinesisError::Read { stream, shard, .. }) = opened else {
            panic!("{position:?} cannot be taken, not {opened:?}");
        };
        assert_eq!((stream.as_str(), shard), (live.stream(), about));
    }
    live.subscribe(&connected).await;
}

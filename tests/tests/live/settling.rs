//! Acknowledgement is a checkpoint: what is stored, when, and what an acknowledgement answers.

use std::time::Duration;

use ruststream::{AckError, ConnectedBroker, IncomingMessage, Seekable, Seeker};
use ruststream_kinesis::{KinesisError, KinesisPosition};
use tests::live::{
    OneStream, ack_all, handle, is_lease_error, item, lasting, nothing, numbers, record, records,
    refusal, runtime, shard, text, within,
};
use tests::or_skip;
use tests::store::{Op, RecordingStore, Twist};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watermark_that_moves_is_one_checkpoint_call_and_one_that_stays_is_none() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put_many("key", 0..4).await;
    let [first, second, third, fourth] = records(&mut subscriber, 4)
        .await
        .try_into()
        .expect("four records");

    ack_all([third]).await;
    assert_eq!(store.checkpoints(), [""; 0]);
    ack_all([first]).await;
    assert_eq!(store.checkpoints(), [written[0].sequence.clone()]);
    ack_all([second]).await;
    let through_third = [written[0].sequence.clone(), written[2].sequence.clone()];
    assert_eq!(store.checkpoints(), through_third);
    ack_all([fourth]).await;
    assert_eq!(store.checkpoints().last(), Some(&written[3].sequence));
    assert_eq!(store.count(Op::Checkpoint), 3);

    // Nothing is left to store when the shard is handed back.
    connected.shutdown().await.expect("shuts down");
    assert_eq!(store.count(Op::Checkpoint), 3);
    assert_eq!(store.count(Op::Release), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ack_returns_once_its_checkpoint_is_stored() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put("key", "one").await;
    let held = store.always(Op::Checkpoint, Twist::Hold);
    let ack = tokio::spawn(record(&mut subscriber).await.ack());
    store.called(Op::Checkpoint, 1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!ack.is_finished());
    held.remove();
    within(ack).await.expect("no panic").expect("acknowledged");
    let stored = store.checkpoint_of(live.stream(), &written.shard).await;
    assert_eq!(stored, Some(written.sequence));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acks_that_arrive_while_a_call_is_in_flight_are_answered_by_one_call_that_covers_them() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put_many("key", 0..50).await;
    let mut records = records(&mut subscriber, 50).await.into_iter();

    let held = store.always(Op::Checkpoint, Twist::Hold);
    let mut acks = vec![tokio::spawn(records.next().expect("a record").ack())];
    store.called(Op::Checkpoint, 1).await;
    acks.extend(records.map(|record| tokio::spawn(record.ack())));
    tokio::time::sleep(Duration::from_millis(200)).await;
    held.remove();
    for ack in acks {
        within(ack).await.expect("no panic").expect("acknowledged");
    }
    let stored = [written[0].sequence.clone(), written[49].sequence.clone()];
    assert_eq!(store.checkpoints(), stored);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_requeue_is_not_supported_and_holds_the_watermark_until_the_lease_is_next_taken() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put_many("key", 0..5).await;
    handle(&mut subscriber, 2).await;
    let unhandled = record(&mut subscriber).await.nack(true).await;
    assert!(matches!(unhandled, Err(AckError::Unsupported)));
    handle(&mut subscriber, 2).await;
    assert_eq!(store.checkpoints().last(), Some(&written[1].sequence));
    // It comes again with a lease, not before.
    nothing(&mut subscriber, Duration::from_millis(600)).await;

    drop(subscriber);
    let mut subscriber = live.subscribe(&connected).await;
    assert_eq!(handle(&mut subscriber, 3).await, numbers(2..5));
    assert_eq!(store.checkpoints().last(), Some(&written[4].sequence));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drop_checkpoints_past_the_record() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put("key", "poison").await;
    let poison = record(&mut subscriber).await;
    poison.nack(false).await.expect("checkpointed past");
    assert_eq!(store.checkpoints(), [written.sequence]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_panics_leaves_its_record_unhandled() {
    let live = or_skip!(OneStream::start(1));
    let (connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..3).await;
    handle(&mut subscriber, 1).await;
    let poison = record(&mut subscriber).await;
    let panicking = tokio::spawn(async move {
        let _record = poison;
        panic!("a test's handler panics on purpose");
    });
    assert!(panicking.await.is_err());
    handle(&mut subscriber, 1).await;
    drop(subscriber);

    let mut subscriber = live.subscribe(&connected).await;
    assert_eq!(handle(&mut subscriber, 2).await, numbers(1..3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_that_fails_fails_its_ack_and_the_next_one_covers_it() {
    let live = or_skip!(OneStream::start(1));
    for twist in [Twist::Fail, Twist::FailAfter] {
        let store = RecordingStore::new();
        let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
        let written = live.put_many("key", 0..3).await;
        store.once(Op::Checkpoint, twist);
        let failed = refusal(record(&mut subscriber).await.ack().await);
        assert!(is_lease_error(&failed, &live, &shard(0)), "{failed}");
        assert_eq!(handle(&mut subscriber, 2).await, numbers(1..3));
        assert_eq!(
            store.checkpoint_of(live.stream(), &shard(0)).await,
            Some(written[2].sequence.clone())
        );
        connected.shutdown().await.expect("shuts down");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_whose_ack_was_cancelled_or_failed_is_stored_with_the_next_renewal() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_secs(3));
    let (_connected, mut subscriber) = live.open(broker).await;
    let written = live.put_many("key", 0..2).await;
    let [first, second] = records(&mut subscriber, 2)
        .await
        .try_into()
        .expect("two records");

    store.once(Op::Checkpoint, Twist::Fail);
    first.ack().await.expect_err("the store failed");
    store
        .stores(live.stream(), &shard(0), &written[0].sequence)
        .await;

    store.once(Op::Checkpoint, Twist::Hold);
    let cancelled = tokio::time::timeout(Duration::from_millis(50), second.ack()).await;
    assert!(cancelled.is_err());
    store
        .stores(live.stream(), &shard(0), &written[1].sequence)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_on_a_thread_of_its_own_acknowledges_from_there() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put_many("key", 0..20).await;
    let records = records(&mut subscriber, 20).await;
    // Every other call is one the thread's own timers and wake-ups have to carry.
    store.always(Op::Checkpoint, Twist::Delay(Duration::from_millis(5)));
    let thread = std::thread::spawn(move || runtime().block_on(ack_all(records)));
    within(tokio::task::spawn_blocking(move || thread.join()))
        .await
        .expect("no panic")
        .expect("no panic");
    assert_eq!(store.checkpoints().last(), Some(&written[19].sequence));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_held_across_the_shutdown_answer_not_connected() {
    let live = or_skip!(OneStream::start(1));
    let (connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    live.put_many("key", 0..3).await;
    let [acked, dropped, requeued] = records(&mut subscriber, 3)
        .await
        .try_into()
        .expect("three records");
    within(connected.shutdown()).await.expect("shuts down");

    let settled = [
        acked.ack().await,
        dropped.nack(false).await,
        requeued.nack(true).await,
    ];
    for refused in settled.map(refusal) {
        assert!(matches!(refused, KinesisError::NotConnected), "{refused}");
    }
    assert!(matches!(
        seeker.seek(KinesisPosition::horizon()).await,
        Err(KinesisError::NotConnected)
    ));
    // And the stream ends.
    let mut stream = std::pin::pin!(ruststream::Subscriber::stream(&mut subscriber));
    let next = within(futures::StreamExt::next(&mut stream)).await;
    assert!(next.is_none(), "{next:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_that_is_never_handled_is_visible_and_holds_nothing_but_itself() {
    const RECORDS: usize = 400;
    let live = or_skip!(OneStream::start(1));
    let broker = live.broker().lease_timings(lasting(Duration::from_secs(1)));
    let monitor = broker.monitor();
    // Less than all the records together take.
    let source = live.source().memory_budget(RECORDS * 32);
    let (connected, mut subscriber) = live.open_with(broker, source).await;
    live.put_many("key", 0..RECORDS).await;
    handle(&mut subscriber, 1).await;
    let unhandled = record(&mut subscriber).await.nack(true).await;
    assert!(matches!(unhandled, Err(AckError::Unsupported)));
    assert_eq!(
        handle(&mut subscriber, RECORDS - 2).await,
        numbers(2..RECORDS)
    );
    let held = async {
        loop {
            let snapshot = monitor.streams();
            let shard = &snapshot[0].shards[0];
            if shard.held_for.is_some_and(|held| held > Duration::ZERO) {
                break shard.unsettled;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert_eq!(within(held).await, 1);

    drop(subscriber);
    let mut subscriber = live.subscribe(&connected).await;
    let first = item(&mut subscriber).await.expect("a record");
    assert_eq!(text(&first), "1");
}

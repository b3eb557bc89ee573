//! What the service refuses, breaks or never answers, and what the subscription makes of it.

use std::time::Duration;

use kinesis_stack::{Fault, On, Rule};
use ruststream::{Broker, ConnectedBroker, IncomingMessage, Seekable, Seeker};
use ruststream_kinesis::{KinesisError, KinesisPosition};
use tests::events;
use tests::live::{
    OneStream, SLACK, delivered, handle, item, numbers, record, report, shard, text, within,
};
use tests::store::{Op, RecordingStore, Which};
use tokio::time::timeout;

fn reads() -> On {
    On::operation("GetRecords")
}

fn iterators() -> On {
    On::operation("GetShardIterator")
}

fn is_read_error(error: &KinesisError, live: &OneStream) -> bool {
    matches!(
        error,
        KinesisError::Read { stream, shard: id, .. } if stream == live.stream() && *id == shard(0)
    )
}

/// The service no longer knows the next sequence number that is resumed from.
fn refuse_the_trimmed(live: &OneStream) -> Rule {
    let after =
        iterators().when(|call| call.request["ShardIteratorType"] == "AFTER_SEQUENCE_NUMBER");
    let gone = Fault::error(
        400,
        "InvalidArgumentException",
        "The sequence number is trimmed.",
    );
    live.stack().faults().once(after, gone)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_throttle_is_no_error_and_does_not_rewind() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..3).await;
    assert_eq!(handle(&mut subscriber, 3).await, numbers(0..3));
    let opened = live.stack().calls().count(&iterators());
    let throttled = live.stack().faults().times(3, reads(), Fault::Throttle);
    live.put_many("key", 3..6).await;
    // Any report would fail this.
    assert_eq!(handle(&mut subscriber, 3).await, numbers(3..6));
    assert_eq!(throttled.hits(), 3);
    assert_eq!(live.stack().calls().count(&iterators()), opened);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_after_throttles_is_reported() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let faults = live.stack().faults();
    faults.times(2, reads(), Fault::Throttle);
    let broken = faults.times(2, reads(), Fault::ErrorBefore);
    live.put("key", "one").await;
    let reported = item(&mut subscriber).await.expect_err("a broken read");
    assert!(is_read_error(&reported, &live), "{reported}");
    assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
    assert_eq!(broken.hits(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_never_answers_times_out_and_the_reader_goes_on() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.stack().faults().once(reads(), Fault::NoAnswer);
    live.put("key", "one").await;
    let reported = report(&mut subscriber).await;
    assert!(is_read_error(&reported, &live), "{reported}");
    assert!(reported.to_string().contains(live.endpoint()), "{reported}");
    assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_read_is_reported_once_and_repeated_until_it_is_served() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    for fault in [
        Fault::ErrorBefore,
        Fault::ErrorAfter,
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::error(
            400,
            "ExpiredTokenException",
            "The security token has expired",
        ),
    ] {
        let broken = live.stack().faults().times(2, reads(), fault);
        live.put("key", "one").await;
        let reported = item(&mut subscriber).await.expect_err("a broken read");
        assert!(is_read_error(&reported, &live), "{reported}");
        assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
        assert_eq!(broken.hits(), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_iterator_that_is_not_given_is_reported_once_and_asked_for_again() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..2).await;
    assert_eq!(handle(&mut subscriber, 2).await, numbers(0..2));
    // Three attempts are one call; two calls fail.
    live.stack()
        .faults()
        .times(6, iterators(), Fault::ErrorBefore);
    live.stack().faults().once(reads(), Fault::ExpiredIterator);
    live.put_many("key", 2..4).await;
    let reported = item(&mut subscriber).await.expect_err("no iterator");
    assert!(is_read_error(&reported, &live), "{reported}");
    assert_eq!(handle(&mut subscriber, 2).await, numbers(2..4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_older_than_the_retention_restarts_the_shard_at_the_horizon_once() {
    events::watch();
    let live = OneStream::embedded(1).await;
    let (connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..4).await;
    handle(&mut subscriber, 2).await;
    drop(subscriber);
    live.stack().trim(live.stream()).await;
    live.put_many("key", 4..6).await;
    let refused = refuse_the_trimmed(&live);
    let mut subscriber = live.subscribe(&connected).await;
    assert_eq!(handle(&mut subscriber, 2).await, numbers(4..6));
    assert_eq!(refused.hits(), 1);
    let warned = events::warnings(live.stream());
    let gaps: Vec<_> = warned
        .iter()
        .filter(|line| line.contains("is lost"))
        .collect();
    assert_eq!(gaps.len(), 1, "{warned:?}");
    assert!(gaps[0].contains(&shard(0)), "{gaps:?}");
    assert!(gaps[0].contains("lost_after=After"), "{gaps:?}");

    // From here on it resumes from what it read, not from the horizon.
    let reopened = live.stack().faults().once(reads(), Fault::ExpiredIterator);
    within(reopened.reach(1)).await;
    live.put("key", "6").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["6"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_trimmed_while_its_iterator_expires_goes_on_at_the_horizon() {
    events::watch();
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "0").await;
    handle(&mut subscriber, 1).await;
    live.stack().trim(live.stream()).await;
    live.put("key", "1").await;
    let refused = refuse_the_trimmed(&live);
    live.stack().faults().once(reads(), Fault::ExpiredIterator);
    live.put("key", "2").await;
    let mut read = Vec::new();
    while read.last().is_none_or(|last| last != "2") {
        read.extend(handle(&mut subscriber, 1).await);
    }
    within(refused.reach(1)).await;
    let gaps = events::warnings(live.stream());
    assert!(
        gaps.iter().filter(|line| line.contains("is lost")).count() <= 1,
        "{gaps:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_that_opens_slowly_costs_no_other_shard_its_lease() {
    let live = OneStream::embedded(2).await;
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_secs(2));
    let slow = iterators().shard(shard(1));
    live.stack()
        .faults()
        .once(slow, Fault::Delay(Duration::from_secs(4)));
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put_at(0, "quick").await;
    // The slow one is reported; it is tried again.
    let quick = within(delivered(&mut subscriber)).await;
    assert_eq!(text(&quick), "quick");
    quick.ack().await.expect("the lease is held");
    assert_eq!(store.count(Which::from(Op::Acquire).shard(shard(0))), 1);
    live.put_at(u128::MAX, "slow").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["slow"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_that_is_not_answered_does_not_hold_up_the_end_of_its_subscription() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let subscriber = live.subscribe(&connected).await;
    let unanswered = live.stack().faults().always(iterators(), Fault::NoAnswer);
    let seeker = subscriber.seeker();
    let seek = tokio::spawn(async move { seeker.seek(KinesisPosition::horizon()).await });
    within(unanswered.reach(1)).await;
    drop(subscriber);
    let sought = timeout(SLACK, seek).await;
    let sought = sought.expect("answered at once").expect("no panic");
    assert!(
        matches!(sought, Err(KinesisError::NotConnected)),
        "{sought:?}"
    );
    unanswered.remove();
    let mut subscriber = live.subscribe(&connected).await;
    live.put("key", "one").await;
    record(&mut subscriber)
        .await
        .ack()
        .await
        .expect("acknowledged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_that_asks_for_the_time_in_vain_does_not_hold_up_the_end_of_its_subscription() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let (_first, _reads) = live.open(live.broker().lease_store(store.clone())).await;
    let (connected, subscriber) = live.open(live.broker().lease_store(store)).await;
    // Who reads no shard has no iterator made to tell the time by.
    let describing = On::operation("DescribeStreamSummary");
    let unanswered = live.stack().faults().always(describing, Fault::NoAnswer);
    let seeker = subscriber.seeker();
    let seek = tokio::spawn(async move { seeker.seek(KinesisPosition::latest()).await });
    within(unanswered.reach(1)).await;
    drop(subscriber);
    let sought = timeout(SLACK, seek).await;
    let sought = sought.expect("answered at once").expect("no panic");
    assert!(
        matches!(sought, Err(KinesisError::NotConnected)),
        "{sought:?}"
    );
    let shut_down = timeout(SLACK, connected.shutdown()).await;
    shut_down.expect("it ends at once").expect("shuts down");
}

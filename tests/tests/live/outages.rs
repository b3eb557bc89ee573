//! A service that refuses for a while, and what is read once it serves again.

use std::time::Duration;

use kinesis_stack::{Fault, On};
use ruststream::{IncomingMessage, Seekable, Seeker};
use ruststream_kinesis::{KinesisPosition, KinesisSubscriber};
use tests::live::{OneStream, delivered, handle, now, numbers, text, within};

/// The payloads of the next records, past what is reported between them.
async fn handle_past_reports(subscriber: &mut KinesisSubscriber, count: usize) -> Vec<String> {
    let mut handled = Vec::with_capacity(count);
    while handled.len() < count {
        let record = delivered(subscriber).await;
        handled.push(text(&record));
        record.ack().await.expect("the record is acknowledged");
    }
    handled
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_throttles_everything_for_a_while_loses_nothing() {
    let live = OneStream::embedded(2).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..5).await;
    let throttled = live.stack().faults().always(On::any(), Fault::Throttle);
    let later = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(6)).await;
        throttled.remove();
    });
    assert_eq!(handle_past_reports(&mut subscriber, 5).await, numbers(0..5));
    later.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_refused_in_any_way_costs_no_record_and_repeats_none() {
    for fault in [
        Fault::ExpiredIterator,
        Fault::EmptyPageBehind,
        Fault::error(400, "InvalidArgumentException", "no such iterator"),
        Fault::error(400, "ResourceNotFoundException", "no such stream"),
    ] {
        let live = OneStream::embedded(1).await;
        let (_connected, mut subscriber) = live.open(live.broker()).await;
        let faults = live.stack().faults();
        faults.times(2, On::operation("GetRecords"), fault.clone());
        live.put_many("key", 0..3).await;
        let first = handle_past_reports(&mut subscriber, 3).await;
        assert_eq!(first, numbers(0..3), "{fault:?}");
        // And where the shard cannot be opened at once either.
        faults.times(2, On::operation("GetRecords"), fault.clone());
        faults.once(On::operation("GetShardIterator"), Fault::ErrorBefore);
        live.put_many("key", 3..6).await;
        let second = handle_past_reports(&mut subscriber, 3).await;
        assert_eq!(second, numbers(3..6), "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_timestamp_no_clock_has_reached_is_answered_and_reading_goes_on() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    let in_an_hour = now() + 60 * 60 * 1_000;
    for millis in [0, in_an_hour, i64::MAX.cast_unsigned(), u64::MAX] {
        // Moved or refused, which is the service's to say.
        let _ = within(seeker.seek(KinesisPosition::timestamp(millis))).await;
    }
    let back = within(seeker.seek(KinesisPosition::horizon())).await;
    back.expect("the subscription moves");
    live.put("key", "one").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
}

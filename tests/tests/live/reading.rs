//! Reading a shard: from where, how often, how much.

use std::collections::{BTreeSet, VecDeque};
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::StreamExt;
use kinesis_stack::{Fault, KinesisStack, On};
use ruststream::{ConnectedBroker, IncomingMessage, Seekable, Subscriber};
use ruststream_kinesis::{KinesisError, KinesisPosition, PARTITION_KEY_HEADER, SHARD_HEADER};
use serde_json::json;
use tests::live::{
    OneStream, SLACK, handle, item, nothing, numbers, record, records, seek, shard, text,
};
use tests::or_skip;
use tests::store::{Op, RecordingStore};
use tokio::time::timeout;

fn reads() -> On {
    On::operation("GetRecords")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_read_before_the_stream_is_first_polled() {
    let live = OneStream::embedded(2).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let opened = On::operation("GetShardIterator");
    assert_eq!(live.stack().calls().count(&opened), 2);
    // Written after the opening, so it is read once reading begins.
    live.put("key", "one").await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(live.stack().calls().count(&reads()), 0);
    assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_shard_whose_iterator_expires_reads_what_was_written_just_before() {
    let lifetime = Duration::from_millis(600);
    let stack = KinesisStack::builder().iterator_lifetime(lifetime).start();
    let live = OneStream::on(stack, 1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "one").await;
    // The tip's iterator is over before the first read.
    tokio::time::sleep(lifetime * 2).await;
    assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
    let expired = live
        .stack()
        .calls()
        .count(&On::operation("GetShardIterator"));
    assert_eq!(expired, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_interval_longer_than_an_iterator_lives_still_reads_every_record() {
    let lifetime = Duration::from_millis(300);
    let stack = KinesisStack::builder().iterator_lifetime(lifetime).start();
    let live = OneStream::on(stack, 1).await;
    let source = live.source().poll_interval(lifetime * 3);
    let (_connected, mut subscriber) = live.open_with(live.broker(), source).await;
    for number in 0..3 {
        tokio::time::sleep(lifetime * 2).await;
        live.put("key", &number.to_string()).await;
        assert_eq!(handle(&mut subscriber, 1).await, [number.to_string()]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_an_expired_iterator_the_next_record_comes_and_none_again() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..100).await;
    assert_eq!(handle(&mut subscriber, 100).await, numbers(0..100));
    let faults = live.stack().faults();
    let expired = faults.once(reads(), Fault::ExpiredIterator);
    live.put_many("key", 100..103).await;
    assert_eq!(handle(&mut subscriber, 3).await, numbers(100..103));
    assert_eq!(expired.hits(), 1);
    nothing(&mut subscriber, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_say_they_are_behind_are_followed_without_a_pause() {
    let live = OneStream::embedded(1).await;
    let source = live.source().poll_interval(Duration::from_mins(1));
    let (_connected, mut subscriber) = live.open_with(live.broker(), source).await;
    live.put("key", "one").await;
    let behind = live
        .stack()
        .faults()
        .times(5, reads(), Fault::EmptyPageBehind);
    let started = Instant::now();
    assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
    assert_eq!(behind.hits(), 5);
    // The sixth read is held back by the five a second the shard answers, and by nothing else.
    assert!(started.elapsed() < Duration::from_secs(1) + SLACK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_is_never_read_more_than_five_times_a_second() {
    let live = OneStream::embedded(1).await;
    let source = live.source().poll_interval(Duration::from_millis(1));
    let (_connected, mut subscriber) = live.open_with(live.broker(), source).await;
    for number in 0..40 {
        live.put("key", &number.to_string()).await;
        handle(&mut subscriber, 1).await;
        if number == 20 {
            live.stack()
                .faults()
                .times(6, reads(), Fault::EmptyPageBehind);
            live.stack().faults().once(reads(), Fault::ExpiredIterator);
        }
    }
    let reads = live.stack().calls().selected(&reads());
    assert!(reads.len() > 10, "{} reads", reads.len());
    for window in reads.windows(6) {
        let six = window[5].at - window[0].at;
        assert!(six >= Duration::from_secs(1), "six reads in {six:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_go_through_the_streams_shared_throughput() {
    let live = OneStream::embedded(1).await;
    live.stack().calls().clear();
    let (connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "one").await;
    handle(&mut subscriber, 1).await;
    connected.shutdown().await.expect("shuts down");
    let calls = live.stack().calls().all();
    let asked: BTreeSet<_> = calls.iter().map(|call| call.operation.as_str()).collect();
    // No consumer of its own is registered or subscribed.
    let shared = [
        "DescribeStreamSummary",
        "GetRecords",
        "GetShardIterator",
        "ListShards",
        "PutRecord",
    ];
    assert_eq!(asked, shared.into());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_page_waits_out_its_penalty() {
    const RECORDS: usize = 10;
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let megabyte = vec![b'x'; 1024 * 1024 - 16];
    for _ in 0..RECORDS {
        live.put_bytes(&megabyte).await;
    }
    for _ in 0..RECORDS {
        let record = record(&mut subscriber).await;
        assert_eq!(record.payload().len(), megabyte.len());
        record.ack().await.expect("acknowledged");
    }
    live.put("key", "after").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["after"]);
    let reads = live.stack().calls().selected(&reads());
    let last_two = &reads[reads.len() - 2..];
    assert!(last_two[1].at - last_two[0].at >= Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_without_a_partition_key_comes_without_that_header() {
    let live = OneStream::embedded(1).await;
    let keyless = Fault::rewrite(|body| {
        for record in body["Records"].as_array_mut().into_iter().flatten() {
            record["PartitionKey"].take();
        }
    });
    live.stack().faults().always(reads(), keyless);
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "one").await;
    let record = record(&mut subscriber).await;
    assert_eq!(text(&record), "one");
    assert!(IncomingMessage::partition_key(&record).is_none());
    assert!(record.headers().get(PARTITION_KEY_HEADER).is_none());
    assert!(record.headers().get(SHARD_HEADER).is_some());
    record.ack().await.expect("acknowledged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_aggregated_record_is_reported_passed_and_not_met_again() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put("key", "before").await;
    let aggregated = live.put_bytes(&[0xF3, 0x89, 0x9A, 0xC2, 1, 2, 3]).await;
    live.put("key", "after").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["before"]);
    let reported = item(&mut subscriber).await.expect_err("not a record");
    assert!(
        matches!(&reported, KinesisError::AggregatedRecord { shard: id } if *id == shard(0)),
        "{reported}"
    );
    let after = record(&mut subscriber).await;
    assert_eq!(text(&after), "after");
    drop(after);
    drop(subscriber);
    store.answered(Op::Release, 1).await;
    let stored = store.checkpoint_of(live.stream(), &shard(0)).await;
    assert_eq!(stored, Some(aggregated.sequence));
    let mut subscriber = live.subscribe(&connected).await;
    assert_eq!(handle(&mut subscriber, 1).await, ["after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_aggregated_record_amid_a_page_is_passed_by_alone() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    live.put("key", "before").await;
    live.put_bytes(&[0xF3, 0x89, 0x9A, 0xC2]).await;
    let last = live.put("key", "after").await;
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    seek(&subscriber.seeker(), KinesisPosition::horizon()).await;
    let before = record(&mut subscriber).await;
    let reported = item(&mut subscriber).await.expect_err("not a record");
    assert!(matches!(reported, KinesisError::AggregatedRecord { .. }));
    let after = record(&mut subscriber).await;
    assert_eq!([text(&before), text(&after)], ["before", "after"]);
    after.ack().await.expect("acknowledged");
    assert_eq!(store.checkpoint_of(live.stream(), &shard(0)).await, None);
    before.ack().await.expect("acknowledged");
    let stored = store.checkpoint_of(live.stream(), &shard(0)).await;
    assert_eq!(stored, Some(last.sequence));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_memory_budget_smaller_than_a_page_still_reads_one_page_at_a_time() {
    let live = OneStream::embedded(4).await;
    let source = live.source().memory_budget(1);
    let (_connected, mut subscriber) = live.open_with(live.broker(), source).await;
    let quarter = u128::MAX / 4 + 1;
    for id in 0..4 {
        live.put_at(quarter * id, &id.to_string()).await;
    }
    let first = record(&mut subscriber).await;
    // Its page is the whole budget, so no other shard is read meanwhile.
    let read = live.stack().calls().count(&reads());
    nothing(&mut subscriber, Duration::from_millis(700)).await;
    assert_eq!(live.stack().calls().count(&reads()), read);
    first.ack().await.expect("acknowledged");
    handle(&mut subscriber, 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_nobody_settles_hold_further_reads_back_at_the_budget() {
    const MEGABYTE: usize = 1024 * 1024;
    let live = OneStream::embedded(1).await;
    // One page in flight, and little more.
    let source = live.source().memory_budget(27 * MEGABYTE + MEGABYTE / 2);
    let (_connected, mut subscriber) = live.open_with(live.broker(), source).await;
    let half = vec![b'x'; MEGABYTE / 2];
    for _ in 0..6 {
        live.put_bytes(&half).await;
    }
    let held = records(&mut subscriber, 6).await;
    live.put("key", "after").await;
    let read = live.stack().calls().count(&reads());
    nothing(&mut subscriber, Duration::from_secs(1)).await;
    assert!(live.stack().calls().count(&reads()) <= read + 1);
    drop(held);
    assert_eq!(handle(&mut subscriber, 1).await, ["after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_of_a_thousand_shards_under_a_slow_handler_stays_within_the_budget() {
    const MEBIBYTE: usize = 1024 * 1024;
    const BUDGET: usize = 128 * MEBIBYTE;
    const RECORDS_A_PAGE: usize = 10;
    let live = OneStream::embedded(1_000).await;
    // Base64 of three bytes.
    let data = "eHh4".repeat(MEBIBYTE / 3);
    let ten: Vec<_> = (1..=RECORDS_A_PAGE)
        .map(|number| json!({ "Data": data, "PartitionKey": "key", "SequenceNumber": number.to_string() }))
        .collect();
    let page = json!({ "Records": ten, "NextShardIterator": "next", "MillisBehindLatest": 60_000 });
    live.stack().faults().always(
        reads(),
        Fault::Answer {
            status: 200,
            body: page,
        },
    );
    let source = live.source().memory_budget(BUDGET);
    let (_connected, mut subscriber) = live.open_with(live.broker(), source).await;

    let mut held = VecDeque::new();
    let mut settled = 0;
    for _ in 0..5 {
        held.extend(records(&mut subscriber, RECORDS_A_PAGE).await);
        // And as much as it hands over while nothing settles.
        let mut stream = pin!(subscriber.stream());
        while let Ok(next) = timeout(Duration::from_millis(300), stream.next()).await {
            held.push_back(next.expect("it goes on").expect("a record, not a report"));
        }
        let fetched = live.stack().calls().count(&reads()) * RECORDS_A_PAGE * MEBIBYTE;
        let unsettled = fetched - settled * MEBIBYTE;
        assert!(unsettled <= BUDGET, "{unsettled} of {BUDGET}");
        for record in held.drain(..RECORDS_A_PAGE) {
            record.ack().await.expect("acknowledged");
            settled += 1;
        }
    }
}

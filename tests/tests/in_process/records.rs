//! What is written and what is read back.

use std::pin::pin;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use ruststream::testing::{TestApp, TestableBroker};
use ruststream::{BatchSubscriber, Bytes, HeaderMap, IncomingMessage, Positioned};
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisError, PARTITION_KEY_HEADER, SEQUENCE_HEADER, SHARD_HEADER};
use tests::apps::{Order, info};
use tokio::time::advance;

use crate::support::{
    connect, finishes, next, next_item, publish, publish_all, publish_with, subscribe,
};

/// How every record aggregated by the Kinesis Producer Library begins.
const AGGREGATED: &[u8] = b"\xF3\x89\x9A\xC2and a protobuf";

fn two_dozen_headers() -> HeaderMap {
    let mut headers: HeaderMap = (0..24u8)
        .map(|byte| {
            (
                format!("x-header-{byte}"),
                Bytes::from(vec![byte, 0, 0xFF, b'\n']),
            )
        })
        .collect();
    headers.insert("x-empty", "");
    headers.insert(PARTITION_KEY_HEADER, "tenant-acme");
    headers
}

#[tokio::test]
async fn headers_travel_in_the_envelope_byte_for_byte() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    let sent = two_dozen_headers();
    let published = publish_with(&connected.publisher(), "orders", b"{}", sent.clone()).await;
    published.expect("the log takes the record");

    let log = connected.published("orders");
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].payload(), b"{}");
    assert_eq!(*log[0].headers(), sent);

    let delivered = next(&mut subscriber).expect("the record");
    assert_eq!(delivered.payload(), b"{}");
    assert_eq!(delivered.headers().len(), sent.len() + 2);
    for (name, value) in sent.iter() {
        assert_eq!(delivered.headers().get(name), Some(value), "{name}");
    }
}

#[tokio::test]
async fn a_delivery_carries_the_position_and_the_three_headers_a_record_from_a_shard_carries() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    let mut headers = HeaderMap::new();
    headers.insert(PARTITION_KEY_HEADER, "tenant-acme");
    // Written under our names by a caller: not the record's.
    headers.insert(SEQUENCE_HEADER, "7");
    headers.insert(SHARD_HEADER, "shardId-000000000007");
    let published = publish_with(&connected.publisher(), "orders", b"{}", headers).await;
    published.expect("the log takes the record");
    let delivered = next(&mut subscriber).expect("the record");
    let KinesisPosition::Sequence { shard, sequence } = delivered.position() else {
        panic!("a record's position is its sequence number");
    };
    assert_eq!(shard, "shardId-000000000000");
    let expected: HeaderMap = [
        (PARTITION_KEY_HEADER, "tenant-acme"),
        (SHARD_HEADER, shard.as_str()),
        (SEQUENCE_HEADER, sequence.as_str()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    assert_eq!(*delivered.headers(), expected);
}

#[tokio::test]
async fn a_payload_that_reads_as_an_envelope_comes_back_as_it_went() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    for payload in [
        b"RSK2\0\0\0\0rest".as_slice(),
        b"RSK1\0\0\0\x05a: b\nrest",
        b"RSK2 is a magic",
        b"",
    ] {
        let published = publish(&connected.publisher(), "orders", payload).await;
        published.expect("the log takes the record");
        let delivered = next(&mut subscriber).expect("the record");
        assert_eq!(delivered.payload(), payload);
    }
}

#[tokio::test]
async fn the_log_lists_a_stream_under_its_name_and_its_arn() {
    let connected = connect().await;
    let arn = "arn:aws:kinesis:eu-west-1:123456789012:stream/orders";
    let published = publish(&connected.publisher(), arn, b"{}").await;
    published.expect("the log takes the record");
    assert_eq!(connected.published("orders").len(), 1);
    assert_eq!(connected.published(arn).len(), 1);
    assert_eq!(connected.published("receipts").len(), 0);
    assert_eq!(
        connected.routes("orders", &["receipts", arn, "orders"]),
        [1, 2]
    );
    assert_eq!(connected.routes("not a stream", &["orders"]), [0; 0]);
}

#[tokio::test]
async fn a_kpl_aggregated_record_is_reported_and_passed_by() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    for payload in [AGGREGATED, b"{}"] {
        let published = publish(&connected.publisher(), "orders", payload).await;
        published.expect("the log takes the record");
    }
    let reported = next_item(&mut subscriber).expect("the record is reported");
    let Err(KinesisError::AggregatedRecord { shard }) = reported else {
        panic!("the record is reported, not {reported:?}");
    };
    assert_eq!(shard, "shardId-000000000000");
    assert_eq!(next(&mut subscriber).expect("the next").payload(), b"{}");
}

#[tokio::test(start_paused = true)]
async fn a_batch_still_filling_is_delivered_50_ms_after_its_first_record() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    let mut batches = pin!(subscriber.batches(nonzero!(3)));
    let publisher = connected.publisher();
    publish_all(&publisher, "orders", &["a"]).await;
    assert!(batches.next().now_or_never().is_none());
    advance(Duration::from_millis(49)).await;
    publish_all(&publisher, "orders", &["b"]).await;
    assert!(batches.next().now_or_never().is_none());
    advance(Duration::from_millis(1)).await;
    let batch = batches.next().now_or_never().expect("it is delivered");
    let batch = batch.expect("the subscription is open").expect("a batch");
    assert_eq!(batch.len(), 2);
}

#[derive(Outgoing, Serialized)]
struct Raw(Vec<u8>);

#[subscriber(KinesisStream::new("orders"))]
async fn handle(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

/// A record no handler gets is counted as well, or the publish would wait for it.
async fn a_handler_never_sees_an_aggregated_record() {
    let app = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
        b.include(handle);
    });
    let tb = TestApp::start(app).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    for _ in 0..3 {
        let aggregated = Raw(AGGREGATED.to_vec());
        let published = broker.message(&aggregated).to("orders").publish().await;
        published.expect("the reaction settles");
        let published = broker.message(&Order { id: 7 }).publish().await;
        published.expect("the reaction settles");
    }
    broker
        .subscriber("orders")
        .assert_called(3)
        .settled(HandlerOutcome::ack());
    tb.assert_running();
    tb.shutdown().await.expect("the app stops");
}

#[tokio::test(start_paused = true)]
async fn a_handler_never_sees_an_aggregated_record_on_one_thread() {
    finishes(a_handler_never_sees_an_aggregated_record()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_never_sees_an_aggregated_record_on_several_threads() {
    finishes(a_handler_never_sees_an_aggregated_record()).await;
}

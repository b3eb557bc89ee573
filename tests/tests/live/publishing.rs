//! What a publish writes, as every other client of the service reads it, and how it reads back.

use std::collections::BTreeSet;

use aws_sdk_kinesis::types::Record;
use ruststream::{Broker, HeaderMap, IncomingMessage, OutgoingMessage, PublishPolicy, Publisher};
use ruststream_kinesis::{
    ConnectedKinesisBroker, KinesisMessage, KinesisPublish, KinesisPublishOptions,
    PARTITION_KEY_HEADER, SEQUENCE_HEADER, SHARD_HEADER,
};
use tests::live::{OneStream, numbers, record, records, text};
use tests::wire::{arn, envelope, opened, publish, publish_with, retained};

const STEP: &str = "by step";
const HEADER: &str = "by header";
const POLICY: &str = "by policy";

fn headers(pairs: &[(&'static str, &[u8])]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.insert(*name, value.to_vec());
    }
    headers
}

/// The values that header has on the deliveries.
fn every<'a>(records: &'a [KinesisMessage], header: &str) -> BTreeSet<&'a str> {
    let values = records
        .iter()
        .map(|record| record.headers().get_str(header));
    values.map(|value| value.expect("the header")).collect()
}

async fn one_record(live: &OneStream) -> Record {
    let records = retained(live.client(), live.stream()).await;
    let [record] = <[_; 1]>::try_from(records).expect("one record");
    record
}

/// The key in the one record's own field, named in those places of a publish.
async fn key_of(step: Option<&str>, header: Option<&str>, policy: Option<&str>) -> String {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let publish = KinesisPublish::default();
    let publish = match policy {
        Some(key) => publish.partition_key(key),
        None => publish,
    };
    let publisher = publish.pair(&connected).await.expect("the policy pairs");
    let mut headers = HeaderMap::new();
    if let Some(key) = header {
        headers.insert(PARTITION_KEY_HEADER, key.to_owned());
    }
    let options = KinesisPublishOptions {
        partition_key: step.map(str::to_owned),
    };
    let message = OutgoingMessage::new(live.stream(), b"{}".as_slice()).with_headers(headers);
    let sent = publisher.publish(message, Some(&options)).await;
    sent.expect("the service takes the record");
    let record = one_record(&live).await;
    // The header never is in the envelope, so nothing is left to write one for.
    assert_eq!(record.data.as_ref(), b"{}");
    record.partition_key.expect("a key")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_step_of_the_publish_names_the_key_first() {
    assert_eq!(key_of(Some(STEP), Some(HEADER), Some(POLICY)).await, STEP);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_header_the_call_wrote_names_it_next() {
    assert_eq!(key_of(None, Some(HEADER), Some(POLICY)).await, HEADER);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_the_mount_site_named_on_the_policy_comes_after_it() {
    assert_eq!(key_of(None, None, Some(POLICY)).await, POLICY);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_unique_key_spreads_the_records_nobody_named_a_key_for() {
    const RECORDS: usize = 40;
    let live = OneStream::embedded(4).await;
    let (connected, mut subscriber) = live.open(live.broker()).await;
    let publisher = connected.publisher();
    for _ in 0..RECORDS {
        let sent = publish(&publisher, live.stream(), b"{}").await;
        sent.expect("the service takes the record");
    }
    let records = records(&mut subscriber, RECORDS).await;
    assert_eq!(every(&records, PARTITION_KEY_HEADER).len(), RECORDS);
    assert!(every(&records, SHARD_HEADER).len() > 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_is_a_name_or_an_arn_and_a_publish_is_one_call() {
    let live = OneStream::embedded(1).await;
    let arn = arn(live.client(), live.stream()).await;
    let connected = live.broker().connect().await.expect("connects");
    for (destination, field) in [(live.stream(), "StreamName"), (&arn, "StreamARN")] {
        live.stack().calls().clear();
        let sent = publish(&connected.publisher(), destination, b"{}").await;
        sent.expect("the service takes the record");
        let calls = live.stack().calls().all();
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].operation, "PutRecord");
        assert_eq!(calls[0].request[field], destination);
    }
    assert_eq!(retained(live.client(), live.stream()).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_without_headers_is_the_plain_payload() {
    for payload in [
        b"{\"id\":7}".as_slice(),
        b"",
        b"RSK",
        b"RSK2 is a magic",
        &[0xff; 300],
    ] {
        let live = OneStream::embedded(1).await;
        let connected = live.broker().connect().await.expect("connects");
        let sent = publish(&connected.publisher(), live.stream(), payload).await;
        sent.expect("the service takes the record");
        assert_eq!(one_record(&live).await.data.as_ref(), payload);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_travel_in_an_envelope_of_the_documented_bytes() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let any_bytes: &[u8] = &[0, b'\n', b':', 0xff, 0xfe];
    let written = headers(&[("tenant", b"acme"), ("x-empty", b""), ("x-any", any_bytes)]);
    let publisher = connected.publisher();
    let sent = publish_with(&publisher, live.stream(), b"payload", written).await;
    sent.expect("the service takes the record");
    let expected = envelope(
        &[("tenant", b"acme"), ("x-empty", b""), ("x-any", any_bytes)],
        b"payload",
    );
    assert_eq!(one_record(&live).await.data.as_ref(), expected);
    // The layout by hand, lest the fixture share a mistake with the crate.
    let tenant: &[u8] = b"\0\0\0\x06tenant\0\0\0\x04acme";
    assert_eq!(&expected[..8], b"RSK2\0\0\0\x33");
    assert_eq!(&expected[8..8 + tenant.len()], tenant);
    assert!(expected.ends_with(b"payload"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_delivery_says_of_its_record_is_never_in_the_envelope() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let copied = headers(&[
        (SEQUENCE_HEADER, b"1"),
        (SHARD_HEADER, b"shardId-000000000009"),
        (PARTITION_KEY_HEADER, b"tenant-acme"),
        ("tenant", b"acme"),
    ]);
    let publisher = connected.publisher();
    let sent = publish_with(&publisher, live.stream(), b"payload", copied).await;
    sent.expect("the service takes the record");
    let record = one_record(&live).await;
    assert_eq!(record.partition_key(), Some("tenant-acme"));
    let (headers, payload) = opened(record.data.as_ref()).expect("an envelope");
    assert_eq!(headers, [("tenant".to_owned(), b"acme".to_vec())]);
    assert_eq!(payload, b"payload");
}

/// The next delivery: its payload, and what its headers say beside the record's own three.
async fn delivered(
    subscriber: &mut ruststream_kinesis::KinesisSubscriber,
) -> (Vec<u8>, Vec<(String, Vec<u8>)>) {
    let record = record(subscriber).await;
    let payload = record.payload().to_vec();
    let mut headers = Vec::new();
    for (name, value) in record.headers().iter() {
        match name {
            SEQUENCE_HEADER | SHARD_HEADER => assert!(!value.is_empty()),
            PARTITION_KEY_HEADER => assert_eq!(Some(value), record.partition_key()),
            name => headers.push((name.to_owned(), value.to_vec())),
        }
    }
    record.ack().await.expect("acknowledged");
    (payload, headers)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_envelope_reads_back_byte_for_byte() {
    let live = OneStream::embedded(1).await;
    let (connected, mut subscriber) = live.open(live.broker()).await;
    let publisher = connected.publisher();
    // A payload that reads as an envelope itself comes back as it is.
    let nested = envelope(&[("inner", b"1")], b"inner payload");
    for payload in [b"payload".as_slice(), b"", &nested, &[0xff; 300]] {
        let value: &[u8] = &[0, b'\n', 0xff];
        for written in [vec![], vec![("tenant", value)]] {
            let sent = publish_with(&publisher, live.stream(), payload, headers(&written)).await;
            sent.expect("the service takes the record");
            let expected: Vec<_> = written
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.to_vec()))
                .collect();
            assert_eq!(
                delivered(&mut subscriber).await,
                (payload.to_vec(), expected)
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_of_another_producer_is_headerless() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let sound = envelope(&[("tenant", b"acme")], b"");
    let truncated = &sound[..sound.len() - 1];
    let too_long = b"RSK2\xff\xff\xff\xff{}";
    let no_text = envelope_of_a_name_that_is_no_text();
    for foreign in [
        b"{}".as_slice(),
        b"RSK3\0\0\0\0{}",
        b"RSK2",
        truncated,
        too_long,
        &no_text,
    ] {
        live.put_bytes(foreign).await;
        assert_eq!(delivered(&mut subscriber).await, (foreign.to_vec(), vec![]));
    }
}

fn envelope_of_a_name_that_is_no_text() -> Vec<u8> {
    let mut blob = envelope(&[("a", b"1")], b"{}");
    let name = blob
        .iter()
        .position(|byte| *byte == b'a')
        .expect("the name");
    blob[name] = 0xff;
    blob
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_in_the_earlier_text_envelope_reads_back_with_its_headers() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_bytes(b"RSK1\0\0\0\x1atenant: acme\nx-region: eu\n{\"id\":7}")
        .await;
    let headers = [("tenant", "acme"), ("x-region", "eu")]
        .map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
    assert_eq!(
        delivered(&mut subscriber).await,
        (b"{\"id\":7}".to_vec(), headers.to_vec())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_records_of_one_key_land_on_one_shard_in_order() {
    let live = OneStream::embedded(4).await;
    let (connected, mut subscriber) = live.open(live.broker()).await;
    let publisher = keyed(&connected, "tenant-acme").await;
    for number in 0..6 {
        let sent = publish(&publisher, live.stream(), number.to_string().as_bytes()).await;
        sent.expect("the service takes the record");
    }
    let records = records(&mut subscriber, 6).await;
    assert_eq!(every(&records, SHARD_HEADER).len(), 1);
    let read: Vec<_> = records.iter().map(text).collect();
    assert_eq!(read, numbers(0..6));
}

async fn keyed(
    connected: &ConnectedKinesisBroker,
    key: &str,
) -> ruststream_kinesis::KinesisPublisher {
    let paired = KinesisPublish::default().partition_key(key).pair(connected);
    paired.await.expect("the policy pairs")
}

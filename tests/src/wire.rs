//! A stream as any other client of the service sees it, and a publisher without an app.

#![expect(
    clippy::missing_panics_doc,
    reason = "a fixture panics where the test cannot go on"
)]

use std::time::Duration;

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::types::{Record, ShardIteratorType};
use ruststream::{HeaderMap, OutgoingMessage, Publisher};
use ruststream_kinesis::{KinesisError, KinesisPublisher};

use crate::live::within;

/// The stream's ARN.
pub async fn arn(client: &Client, stream: &str) -> String {
    let described = client.describe_stream_summary().stream_name(stream).send();
    let described = described.await.expect("the stream is described");
    let summary = described.stream_description_summary.expect("a summary");
    summary.stream_arn
}

/// Creates a stream with one shard; for a stack that creates at once.
pub async fn create(client: &Client, stream: &str) {
    let created = client.create_stream().stream_name(stream).shard_count(1);
    created.send().await.expect("the stream is created");
}

/// What the stream retains, shard by shard.
pub async fn retained(client: &Client, stream: &str) -> Vec<Record> {
    let listed = client.list_shards().stream_name(stream).send().await;
    let shards = listed.expect("the shards are listed").shards;
    let mut records = Vec::new();
    for shard in shards.expect("shards") {
        let opened = client
            .get_shard_iterator()
            .stream_name(stream)
            .shard_id(shard.shard_id)
            .shard_iterator_type(ShardIteratorType::TrimHorizon)
            .send()
            .await;
        let mut next = opened.expect("the shard opens").shard_iterator;
        while let Some(iterator) = next {
            let read = client.get_records().shard_iterator(iterator).send().await;
            let page = read.expect("the shard is read");
            next = page
                .next_shard_iterator
                .filter(|_| !page.records.is_empty());
            records.extend(page.records);
        }
    }
    records
}

/// What the stream retains once that is `count` records.
pub async fn retained_at_last(client: &Client, stream: &str, count: usize) -> Vec<Record> {
    within(async {
        loop {
            let records = retained(client, stream).await;
            if records.len() >= count {
                break records;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await
}

/// Publishes one record without headers and without options.
///
/// # Errors
///
/// What the publisher answers.
pub async fn publish(
    publisher: &KinesisPublisher,
    stream: &str,
    payload: &[u8],
) -> Result<(), KinesisError> {
    publish_with(publisher, stream, payload, HeaderMap::new()).await
}

/// Publishes one record with those headers.
///
/// # Errors
///
/// What the publisher answers.
pub async fn publish_with(
    publisher: &KinesisPublisher,
    stream: &str,
    payload: &[u8],
    headers: HeaderMap,
) -> Result<(), KinesisError> {
    let message = OutgoingMessage::new(stream, payload).with_headers(headers);
    publisher.publish(message, None).await
}

/// A record's blob as the envelope's layout has it: `RSK2`, the length of the block, the block, the
/// payload.
#[must_use]
pub fn envelope(headers: &[(&str, &[u8])], payload: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        for part in [name.as_bytes(), value] {
            block.extend(length(part));
            block.extend(part);
        }
    }
    [b"RSK2", &length(&block)[..], &block, payload].concat()
}

/// A record's headers, by name.
pub type Headers = Vec<(String, Vec<u8>)>;

/// The headers and the payload of an enveloped blob, and nothing of any other.
#[must_use]
pub fn opened(blob: &[u8]) -> Option<(Headers, Vec<u8>)> {
    let (mut block, payload) = prefixed(blob.strip_prefix(b"RSK2")?)?;
    let mut headers = Vec::new();
    while !block.is_empty() {
        let (name, rest) = prefixed(block)?;
        let (value, rest) = prefixed(rest)?;
        headers.push((String::from_utf8_lossy(name).into_owned(), value.to_vec()));
        block = rest;
    }
    Some((headers, payload.to_vec()))
}

fn length(bytes: &[u8]) -> [u8; 4] {
    u32::try_from(bytes.len())
        .expect("a short text")
        .to_be_bytes()
}

fn prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}

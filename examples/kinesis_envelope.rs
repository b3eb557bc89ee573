//! The envelope of headers, and what a consumer without this crate finds in a record.
//!
//! `cargo run --example kinesis_envelope` brings a Kinesis along, and reads its records by the SDK.

use std::error::Error;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::{Credentials, SharedCredentialsProvider};
use aws_sdk_kinesis::types::ShardIteratorType::TrimHorizon;
use kinesis_stack::KinesisStack;
use ruststream_kinesis::KinesisPublisher;
use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "receipts")]
struct Receipt {
    order: u64,
}

/// A handler sees no envelope: it reads the same payload from both, and headers where there are any.
#[subscriber(stream = "receipts", create_if_missing = 1)]
async fn file(receipt: &Receipt, ctx: &mut Context<'_>) -> HandlerOutcome {
    let trace = ctx.headers().get_str("trace").unwrap_or("none");
    println!("handler  order {}, trace {trace}", receipt.order);
    HandlerOutcome::ack()
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("billing", "0.1.0")).with_broker(broker, |b| {
        b.include(file);
    })
}

pub(crate) async fn publish(receipts: &KinesisPublisher) -> Result<(), Failure> {
    // Without headers the record is the payload and nothing else.
    receipts.message(&Receipt { order: 1 }).publish().await?;
    let mut headers = HeaderMap::new();
    headers.insert("trace", "4bf92f");
    receipts
        .message(&Receipt { order: 2 })
        .with_headers(headers)
        .publish()
        .await?;
    Ok(())
}

/// What finds the payload of both, in any language: an envelope is "RSK2", the length of the headers
/// in four bytes, big end first, and the headers.
///
/// It goes by that length alone, where the crate reads the headers too: what begins like an envelope
/// and has unsound headers is a payload of its own, which the crate delivers whole. And the crate
/// reads the earlier envelope, "RSK1", which it never writes and this does not know.
pub(crate) fn payload(record: &[u8]) -> &[u8] {
    let envelope = record.strip_prefix(b"RSK2");
    let Some((length, rest)) = envelope.and_then(<[u8]>::split_first_chunk) else {
        return record;
    };
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    rest.get(length..).unwrap_or(record)
}

/// Publishes both receipts, and answers the records as any consumer reads them.
pub(crate) async fn run(stack: &KinesisStack) -> Result<Vec<Vec<u8>>, Failure> {
    let credentials = Credentials::new("test", "test", None, None, "embedded");
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .endpoint_url(stack.endpoint())
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build();
    let broker = KinesisBroker::from_config(config.clone());
    let receipts = broker.publisher();
    let running = service(broker).start().await?;
    publish(&receipts).await?;

    let client = Client::new(&config);
    let shard = client
        .get_shard_iterator()
        .stream_name("receipts")
        .shard_id("shardId-000000000000");
    let opened = shard.shard_iterator_type(TrimHorizon).send().await?;
    let page = client
        .get_records()
        .set_shard_iterator(opened.shard_iterator)
        .send()
        .await?;
    running.shutdown().await?;
    Ok(page
        .records
        .into_iter()
        .map(|record| record.data.into_inner())
        .collect())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    for record in run(&KinesisStack::start()).await? {
        println!("record   {}", record.escape_ascii());
        println!("payload  {}", payload(&record).escape_ascii());
    }
    Ok(())
}

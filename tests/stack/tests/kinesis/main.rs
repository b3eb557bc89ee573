//! The Kinesis stack as a plain AWS SDK client sees it: every fault, and every answer the layer corrects.

use std::time::Duration;

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::timeout::TimeoutConfig;
use aws_sdk_kinesis::config::{BehaviorVersion, Builder, Credentials, Region, retry::RetryConfig};
use aws_sdk_kinesis::operation::describe_stream_summary::builders::DescribeStreamSummaryFluentBuilder;
use aws_sdk_kinesis::operation::get_records::GetRecordsOutput;
use aws_sdk_kinesis::operation::list_shards::builders::ListShardsFluentBuilder;
use aws_sdk_kinesis::operation::put_record::builders::PutRecordFluentBuilder;
use aws_sdk_kinesis::primitives::Blob;
use aws_sdk_kinesis::types::{ShardIteratorType, StreamDescriptionSummary};
use kinesis_stack::KinesisStack;

mod answers;
mod faults;
mod life;
mod resharding;
mod streams;

const FIRST: &str = "shardId-000000000000";

/// A client that shows every fault: it repeats nothing, and gives a call longer than any takes.
fn client(stack: &KinesisStack) -> Client {
    Client::from_conf(settings(stack).build())
}

fn settings(stack: &KinesisStack) -> Builder {
    aws_sdk_kinesis::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(stack.endpoint())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("key", "secret", None, None, "test"))
        .retry_config(RetryConfig::disabled())
        .timeout_config(
            TimeoutConfig::builder()
                .operation_timeout(Duration::from_secs(30))
                .build(),
        )
}

/// A stack with a stream of this many shards.
async fn with_stream(name: &str, shards: i32) -> (KinesisStack, Client) {
    let stack = KinesisStack::start();
    let client = client(&stack);
    create(&client, name, shards).await;
    (stack, client)
}

async fn create(client: &Client, stream: &str, shards: i32) {
    client
        .create_stream()
        .stream_name(stream)
        .shard_count(shards)
        .send()
        .await
        .expect("the stream is created");
}

/// A listing of the stream's shards.
fn list(client: &Client, stream: &str) -> ListShardsFluentBuilder {
    client.list_shards().stream_name(stream)
}

/// A description of the stream.
fn describe(client: &Client, stream: &str) -> DescribeStreamSummaryFluentBuilder {
    client.describe_stream_summary().stream_name(stream)
}

async fn summary(client: &Client, stream: &str) -> StreamDescriptionSummary {
    let described = describe(client, stream).send().await;
    let described = described.expect("a summary");
    described.stream_description_summary.expect("a summary")
}

/// A write to the stream.
fn write(client: &Client, stream: &str, data: impl Into<Vec<u8>>) -> PutRecordFluentBuilder {
    let put = client.put_record().stream_name(stream);
    put.partition_key("key").data(Blob::new(data))
}

async fn put(client: &Client, stream: &str, data: &str) -> String {
    let put = write(client, stream, data).send().await;
    put.expect("the record is written").sequence_number
}

async fn iterator(client: &Client, stream: &str, shard: &str, kind: ShardIteratorType) -> String {
    let ask = client
        .get_shard_iterator()
        .stream_name(stream)
        .shard_id(shard)
        .shard_iterator_type(kind);
    ask.send()
        .await
        .expect("an iterator")
        .shard_iterator
        .expect("an iterator is answered")
}

async fn horizon(client: &Client, stream: &str) -> String {
    iterator(client, stream, FIRST, ShardIteratorType::TrimHorizon).await
}

async fn read(client: &Client, iterator: &str) -> GetRecordsOutput {
    client
        .get_records()
        .shard_iterator(iterator)
        .send()
        .await
        .expect("a page")
}

fn texts(page: &GetRecordsOutput) -> Vec<&str> {
    let texts = page
        .records
        .iter()
        .map(|record| std::str::from_utf8(record.data.as_ref()).expect("records are text"));
    texts.collect()
}

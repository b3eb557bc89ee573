//! What the tests need that run a service against the embedded stack.

use std::error::Error;
use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::config::{Credentials, SharedCredentialsProvider};
use aws_sdk_kinesis::primitives::Blob;
use kinesis_stack::KinesisStack;
use ruststream::testing::TestApp;
use ruststream_kinesis::{KinesisBroker, KinesisMonitor};
use serde_json::Value;
use tokio::time::{Instant, sleep};

/// What a test comes to.
pub(crate) type Tested = Result<(), Box<dyn Error + Send + Sync>>;

/// How long a service may take for one thing.
const PATIENCE: Duration = Duration::from_secs(30);

/// A service where every stream a program names is there, with that many shards.
pub(crate) fn stack(shards: u32) -> KinesisStack {
    KinesisStack::builder().streams_on_use(shards).start()
}

pub(crate) fn broker(stack: &KinesisStack) -> KinesisBroker {
    KinesisBroker::from_config(config(stack.endpoint()))
}

pub(crate) fn config(endpoint: &str) -> SdkConfig {
    let credentials = Credentials::new("test", "test", None, None, "embedded");
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .endpoint_url(endpoint)
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build()
}

/// Waits until `happened`, and fails where that takes too long.
pub(crate) async fn until(happened: impl AsyncFn() -> bool) {
    let started = Instant::now();
    while !happened().await {
        assert!(started.elapsed() < PATIENCE, "waited in vain");
        sleep(Duration::from_millis(20)).await;
    }
}

/// What the stream's handler was given so far.
pub(crate) fn received(tb: &TestApp<()>, stream: &str) -> Vec<Value> {
    tb.broker::<KinesisBroker>().subscriber(stream).received()
}

/// The shards an instance reads.
pub(crate) fn shards(monitor: &KinesisMonitor) -> Vec<String> {
    let streams = monitor.streams().into_iter();
    let shards = streams.flat_map(|stream| stream.shards);
    shards.map(|shard| shard.shard).collect()
}

/// Writes a record as another program would, and answers its sequence number.
pub(crate) async fn put(
    stack: &KinesisStack,
    stream: &str,
    record: &Value,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let client = aws_sdk_kinesis::Client::new(&config(stack.endpoint()));
    let put = client
        .put_record()
        .stream_name(stream)
        .partition_key("test");
    let answer = put.data(Blob::new(record.to_string())).send().await?;
    Ok(answer.sequence_number)
}

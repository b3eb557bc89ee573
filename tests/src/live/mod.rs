//! A Kinesis and one stream for one test: the embedded stack, or the endpoint that
//! `KINESIS_TEST_ENDPOINT` names.

#![expect(
    clippy::missing_panics_doc,
    reason = "a fixture panics where the test cannot go on"
)]

mod deliveries;
mod endpoint;
mod positions;
mod process;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::primitives::Blob;
use aws_sdk_kinesis::types::{Shard, StreamStatus};
use kinesis_stack::KinesisStack;
use ruststream::{Broker, SubscriptionSource};
use ruststream_kinesis::{
    ConnectedKinesisBroker, KinesisBroker, KinesisError, KinesisStream, KinesisSubscriber,
    LeaseStore, LeaseTimings,
};
use tokio::time::timeout;

pub use deliveries::{
    ack_all, delivered, handle, handle_sorted, item, nothing, numbers, record, records, refusal,
    report, text,
};
pub use endpoint::{ENDPOINT, REQUIRE_LIVE, broker};
pub(crate) use endpoint::{Endpoint, client, of_environment};
pub use positions::{between, now, seek};
pub use process::{Process, alone, runtime};

/// What a test waits for anything before it fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What is allowed on top of a limit that a promise names: the suites run side by side on however
/// few cores there are, and whatever takes no time waits for its turn there.
pub const SLACK: Duration = Duration::from_secs(2);

/// A service and one stream of it that no other test knows.
#[derive(Debug)]
pub struct OneStream {
    stack: Option<KinesisStack>,
    endpoint: String,
    client: Client,
    stream: String,
}

impl OneStream {
    /// The endpoint `KINESIS_TEST_ENDPOINT` names, or an embedded stack where it names none; with
    /// one stream of that many shards.
    ///
    /// `None` where the named endpoint does not answer: see [`or_skip!`](crate::or_skip).
    pub async fn start(shards: i32) -> Option<Self> {
        let live = match of_environment().await? {
            Endpoint::Embedded => Self::embedded(shards).await,
            Endpoint::Named(endpoint) => Self::there(None, endpoint.to_owned(), shards).await,
        };
        Some(live)
    }

    /// An embedded stack with its defaults, for a test that scripts faults or reads the log.
    pub async fn embedded(shards: i32) -> Self {
        Self::on(KinesisStack::start(), shards).await
    }

    /// That stack.
    pub async fn on(stack: KinesisStack, shards: i32) -> Self {
        let endpoint = stack.endpoint().to_owned();
        Self::there(Some(stack), endpoint, shards).await
    }

    async fn there(stack: Option<KinesisStack>, endpoint: String, shards: i32) -> Self {
        static STREAMS: AtomicU32 = AtomicU32::new(0);
        let live = Self {
            stack,
            client: client(&endpoint),
            endpoint,
            stream: format!(
                "live-{}-{}",
                std::process::id(),
                STREAMS.fetch_add(1, Ordering::Relaxed)
            ),
        };
        live.create(shards).await;
        live
    }

    async fn create(&self, shards: i32) {
        self.client
            .create_stream()
            .stream_name(&self.stream)
            .shard_count(shards)
            .send()
            .await
            .expect("the stream is created");
        self.settled().await;
    }

    /// Deletes the stream and creates another under its name, of that many shards.
    pub async fn create_again(&self, shards: i32) {
        let deleted = self.client.delete_stream().stream_name(&self.stream);
        deleted.send().await.expect("the stream is deleted");
        let gone = async {
            let describe = || self.client.describe_stream_summary();
            while describe().stream_name(&self.stream).send().await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        within(gone).await;
        self.create(shards).await;
    }

    /// Waits until the stream is active.
    async fn settled(&self) {
        let active = async {
            loop {
                let described = self
                    .client
                    .describe_stream_summary()
                    .stream_name(&self.stream)
                    .send()
                    .await
                    .expect("the stream is described");
                let summary = described.stream_description_summary.expect("a summary");
                if summary.stream_status == StreamStatus::Active {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        within(active).await;
    }

    /// The embedded stack.
    #[must_use]
    pub fn stack(&self) -> &KinesisStack {
        self.stack.as_ref().expect("this test embeds its stack")
    }

    /// Where the service is.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The SDK, without anything of ours.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The stream's name.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// A broker that dials this service.
    pub fn broker(&self) -> KinesisBroker {
        broker(&self.endpoint)
    }

    /// A broker that keeps its leases in that store and holds each of them that long.
    pub fn leasing(&self, store: &Arc<impl LeaseStore>, lease: Duration) -> KinesisBroker {
        let broker = self.broker().lease_store(store.clone());
        broker.lease_timings(lasting(lease))
    }

    /// Connects that broker and opens the stream.
    pub async fn open(&self, broker: KinesisBroker) -> (ConnectedKinesisBroker, KinesisSubscriber) {
        self.open_with(broker, self.source()).await
    }

    /// Connects that broker and opens that source.
    pub async fn open_with<S>(
        &self,
        broker: KinesisBroker,
        source: S,
    ) -> (ConnectedKinesisBroker, KinesisSubscriber)
    where
        S: SubscriptionSource<ConnectedKinesisBroker, Subscriber = KinesisSubscriber>,
    {
        let connected = broker.connect().await.expect("the broker connects");
        let opened = within(source.subscribe(&connected)).await;
        (connected, opened.expect("the subscription opens"))
    }

    /// Opens the stream.
    pub async fn subscribe(&self, connected: &ConnectedKinesisBroker) -> KinesisSubscriber {
        let opened = within(connected.subscribe_stream(self.source())).await;
        opened.expect("the subscription opens")
    }

    /// The stream's descriptor, polled often.
    pub fn source(&self) -> KinesisStream {
        KinesisStream::new(&self.stream).poll_interval(Duration::from_millis(200))
    }

    /// Writes a record where its key leads it.
    pub async fn put(&self, key: &str, text: &str) -> Written {
        self.write(key, None, text.as_bytes()).await
    }

    /// Writes a record to the shard that holds that hash key.
    pub async fn put_at(&self, hash_key: u128, text: &str) -> Written {
        self.write("key", Some(hash_key), text.as_bytes()).await
    }

    /// Writes a record of any bytes.
    pub async fn put_bytes(&self, bytes: &[u8]) -> Written {
        self.write("key", None, bytes).await
    }

    async fn write(&self, key: &str, hash_key: Option<u128>, data: &[u8]) -> Written {
        let written = self
            .client
            .put_record()
            .stream_name(&self.stream)
            .partition_key(key)
            .set_explicit_hash_key(hash_key.map(|key| key.to_string()))
            .data(Blob::new(data))
            .send()
            .await
            .expect("the record is written");
        Written {
            shard: written.shard_id,
            sequence: written.sequence_number,
        }
    }

    /// Writes `0`, `1` .. up to `records` with one key.
    pub async fn put_many(&self, key: &str, records: std::ops::Range<usize>) -> Vec<Written> {
        let mut written = Vec::with_capacity(records.len());
        for record in records {
            written.push(self.put(key, &record.to_string()).await);
        }
        written
    }

    /// Every shard the stream lists.
    pub async fn shards(&self) -> Vec<Shard> {
        self.client
            .list_shards()
            .stream_name(&self.stream)
            .send()
            .await
            .expect("the shards are listed")
            .shards
            .expect("shards")
    }

    /// Splits a shard in two equal halves.
    pub async fn split(&self, shard: &str) {
        let shards = self.shards().await;
        let listed = shards.iter().find(|listed| listed.shard_id == shard);
        let range = listed.and_then(|listed| listed.hash_key_range.as_ref());
        let range = range.expect("the shard is listed");
        let bound = |key: &str| key.parse::<u128>().expect("a hash key is a number");
        let (low, high) = (
            bound(&range.starting_hash_key),
            bound(&range.ending_hash_key),
        );
        self.client
            .split_shard()
            .stream_name(&self.stream)
            .shard_to_split(shard)
            .new_starting_hash_key((low + (high - low) / 2 + 1).to_string())
            .send()
            .await
            .expect("the shard is split");
        self.settled().await;
    }

    /// Merges two adjacent shards.
    pub async fn merge(&self, shard: &str, adjacent: &str) {
        self.client
            .merge_shards()
            .stream_name(&self.stream)
            .shard_to_merge(shard)
            .adjacent_shard_to_merge(adjacent)
            .send()
            .await
            .expect("the shards are merged");
        self.settled().await;
    }
}

/// Where a record was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The shard's id.
    pub shard: String,
    /// The record's sequence number.
    pub sequence: String,
}

/// The id of the stream's shard with that number.
#[must_use]
pub fn shard(number: usize) -> String {
    format!("shardId-{number:012}")
}

/// Whether it is a lease error that names this stream and that shard.
#[must_use]
pub fn is_lease_error(error: &KinesisError, live: &OneStream, id: &str) -> bool {
    matches!(
        error,
        KinesisError::Lease { stream, shard, .. } if stream == live.stream() && shard == id
    )
}

/// Leases that last this long, and are renewed six times in it.
#[must_use]
pub fn lasting(duration: Duration) -> LeaseTimings {
    LeaseTimings::builder()
        .lease_ttl(duration)
        .renew_every(duration / 6)
        .build()
}

/// Fails the test where `future` takes longer than [`PATIENCE`].
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future)
        .await
        .expect("this comes within the test's patience")
}

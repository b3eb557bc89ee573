//! The publish policy, the settings of one publish, and the ladder that resolves them.

use std::sync::LazyLock;

use ruststream_kinesis_macros::publish_options;

use crate::connected::ConnectedKinesisBroker;
use crate::context::PARTITION_KEY_HEADER;
use crate::nonce;
use crate::publisher::KinesisPublisher;
use crate::rules::partition_key::{self, UniqueKeys};

static UNIQUE_KEYS: LazyLock<UniqueKeys> = LazyLock::new(|| UniqueKeys::new(nonce::draw()));

fn unique_key() -> String {
    UNIQUE_KEYS.next()
}

fn pair(policy: KinesisPublish, connected: &ConnectedKinesisBroker) -> KinesisPublisher {
    connected.pair(policy)
}

/// The settings of one publish, which its call site names as steps.
#[publish_options(
    policy = KinesisPublish,
    live = KinesisPublisher,
    connected = ConnectedKinesisBroker,
    pair = pair,
    steps = KinesisPublishSteps,
    settings = KinesisPublishSettings,
    extension = "x-ruststream-kinesis",
    channel_bind = "stream",
)]
pub struct KinesisPublishOptions {
    /// The record's partition key, 1 to 256 characters: it picks the shard the record lands on, and
    /// with it the order the record keeps against its neighbours.
    #[option(
        step,
        policy,
        header = PARTITION_KEY_HEADER,
        bind = "partitionKey",
        check = |key: &str| partition_key::check(key).is_ok(),
        reason = "a partition key is 1 to 256 characters",
        fallback = unique_key,
    )]
    partition_key: Option<String>,
}

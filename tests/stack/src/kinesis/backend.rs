//! The emulator, with its answers made those the service documents.

use std::collections::HashMap;

use axum::Router;
use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use ferrokinesis::store::Store;
use serde_json::json;
use tokio::sync::{Mutex, RwLock};
use tower::ServiceExt;

use super::subject::{stream_of_arn, subject};
use super::{KinesisBuilder, listing, page, position, size, streams};
use crate::layer::{Backend, Subject};
use crate::wire::{Received, Reply};

pub(super) struct Kinesis {
    router: Router,
    pub(super) store: Store,
    pub(super) settings: KinesisBuilder,
    /// Held by a write until its records carry their arrival times, so that no read sees them without.
    arrivals: RwLock<()>,
    /// The second in which a stream of this name was created last.
    pub(super) created: Mutex<HashMap<String, u64>>,
    /// Held while a stream is created on use.
    creating: Mutex<()>,
}

/// Operations to which the service admits `StreamARN` in place of `StreamName`; the emulator insists on the name.
const BY_ARN: [&str; 16] = [
    "AddTagsToStream",
    "DecreaseStreamRetentionPeriod",
    "DeleteStream",
    "DescribeStream",
    "DescribeStreamSummary",
    "DisableEnhancedMonitoring",
    "EnableEnhancedMonitoring",
    "GetShardIterator",
    "IncreaseStreamRetentionPeriod",
    "ListShards",
    "ListTagsForStream",
    "MergeShards",
    "RemoveTagsFromStream",
    "SplitShard",
    "StartStreamEncryption",
    "UpdateShardCount",
];

/// Operations of the data plane, whose throttle is `ProvisionedThroughputExceededException`.
const DATA_PLANE: [&str; 4] = ["GetRecords", "GetShardIterator", "PutRecord", "PutRecords"];

/// Operations that use a stream, and find it there where streams are created on use.
const USES: [&str; 3] = ["DescribeStreamSummary", "PutRecord", "PutRecords"];

impl Kinesis {
    pub(super) fn new(router: Router, store: Store, settings: KinesisBuilder) -> Self {
        Self {
            // The service takes 10 MiB of records in one call, more than axum admits by default.
            router: router.layer(DefaultBodyLimit::disable()),
            store,
            settings,
            arrivals: RwLock::default(),
            created: Mutex::default(),
            creating: Mutex::default(),
        }
    }

    async fn ask(&self, received: &Received) -> Reply {
        let response = match self
            .router
            .clone()
            .oneshot(received.to_request::<Body>())
            .await
        {
            Ok(response) => response,
            Err(never) => match never {},
        };
        match received.operation.as_str() {
            "SubscribeToShard" if response.status().is_success() => Reply::opaque(response),
            _ => Reply::read(response).await,
        }
    }

    async fn get_records(&self, received: &Received) -> Reply {
        if let Some(expired) = page::expired(received, self.settings.iterator_lifetime) {
            return expired;
        }
        let _complete = self.arrivals.read().await;
        let mut reply = self.ask(received).await;
        if let Some(body) = reply.success() {
            page::complete(self, received, body).await;
        }
        reply
    }

    async fn get_shard_iterator(&self, mut received: Received) -> Reply {
        let _complete = self.arrivals.read().await;
        position::at_timestamp(&self.store, &mut received).await;
        self.ask(&received).await
    }

    async fn put(&self, received: &Received) -> Reply {
        if let Some(refused) = size::refused(received) {
            return refused;
        }
        let _incomplete = self.arrivals.write().await;
        let arrived = position::now_seconds();
        let mut reply = self.ask(received).await;
        if let Some(body) = reply.success() {
            position::stamp(&self.store, received, body, arrived).await;
        }
        reply
    }

    async fn list_shards(&self, mut received: Received) -> Reply {
        if let Err(refusal) = listing::resolve(&mut received) {
            return *refusal;
        }
        let mut reply = self.ask(&received).await;
        if let Some(body) = reply.success() {
            listing::give_token(&received, body);
        }
        reply
    }

    /// Creates the stream a call of its data or its summary names, unless it is there or no stream can have that name.
    async fn create_on_use(&self, received: &Received, shards: u32) {
        if !USES.contains(&received.operation.as_str()) {
            return;
        }
        // Who comes while another call creates the stream finds it usable, not half made.
        let _creating = self.creating.lock().await;
        if let Some(stream) = received.text("StreamName")
            && self.store.get_stream(stream).await.is_err()
        {
            let body = json!({ "StreamName": stream, "ShardCount": shards });
            // What is refused here is refused to the call itself.
            self.change_stream(&received.instead("CreateStream", body))
                .await;
        }
    }

    async fn change_stream(&self, received: &Received) -> Reply {
        let Some(stream) = received.text("StreamName") else {
            return self.ask(received).await;
        };
        if received.operation == "CreateStream" {
            streams::wait_for_new_second(self, stream).await;
        }
        let reply = self.ask(received).await;
        if reply.is_success() {
            streams::settle(self, &received.operation, stream).await;
        }
        reply
    }
}

impl Backend for Kinesis {
    const CONTENT_TYPE: &'static str = "application/x-amz-json-1.1";
    const FAILURE: &'static str = "InternalFailure";

    fn throttle(operation: &str) -> &'static str {
        if DATA_PLANE.contains(&operation) {
            "ProvisionedThroughputExceededException"
        } else {
            "LimitExceededException"
        }
    }

    fn subject(&self, received: &Received) -> Subject {
        subject(received)
    }

    async fn serve(&self, mut received: Received) -> Reply {
        if BY_ARN.contains(&received.operation.as_str()) {
            name_stream(&mut received);
        }
        if let Some(shards) = self.settings.streams_on_use {
            self.create_on_use(&received, shards).await;
        }
        match received.operation.as_str() {
            "GetRecords" => self.get_records(&received).await,
            "GetShardIterator" => self.get_shard_iterator(received).await,
            "PutRecord" | "PutRecords" => self.put(&received).await,
            "ListShards" => self.list_shards(received).await,
            operation if streams::CHANGES.contains(&operation) => {
                self.change_stream(&received).await
            }
            _ => self.ask(&received).await,
        }
    }
}

/// A call may name its stream by `StreamARN` alone (API reference of each operation in [`BY_ARN`]).
fn name_stream(received: &mut Received) {
    if received.text("StreamName").is_some() {
        return;
    }
    if let Some(stream) = received
        .text("StreamARN")
        .and_then(stream_of_arn)
        .map(str::to_owned)
    {
        received.replace_body(|body| body["StreamName"] = stream.into());
    }
}

//! Takes over a lease table of a version that wrote a row per shard id, without the stream's name.
//!
//! `cargo run --example kinesis_leases_legacy --features dynamodb-lease`, with the region and the
//! credentials of the environment, once the old instances are stopped. The table `orders-leases`
//! and the stream `orders` have to be there.

use std::sync::Arc;

use aws_config::{BehaviorVersion, SdkConfig};
use ruststream::runtime::RustStreamError;
use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber(KinesisStream::new("orders"))]
async fn handle(order: &Order) -> HandlerOutcome {
    println!("got order {}", order.id);
    HandlerOutcome::ack()
}

/// A row `shardId-000000000000` could be of any stream; this says that the table's are of `orders`.
/// Each shard's first look copies its checkpoint to `orders:shardId-000000000000`. Once the service
/// has run, delete the rows without a colon, and `legacy_stream` with them.
pub(crate) fn leases(config: &SdkConfig) -> DynamoLeaseStore {
    DynamoLeaseStore::new(config, "orders-leases").legacy_stream("orders")
}

pub(crate) fn service(broker: KinesisBroker, leases: DynamoLeaseStore) -> RustStream {
    let broker = broker.lease_store(Arc::new(leases));
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(handle);
    })
}

#[tokio::main]
async fn main() -> Result<(), RustStreamError> {
    let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
    let leases = leases(&config);
    service(KinesisBroker::from_config(config), leases)
        .run()
        .await
}

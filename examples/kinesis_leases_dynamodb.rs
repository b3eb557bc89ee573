//! Checkpoints in a `DynamoDB` table: a service that was stopped goes on where it was.
//!
//! `cargo run --example kinesis_leases_dynamodb --features dynamodb-lease`, with the region and the
//! credentials of the environment. The stream `orders` has to be there; the table is created.

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

/// The table of this service. Where it is managed as infrastructure, leave
/// `create_table_if_missing` out and the service needs no right to create one.
pub(crate) fn leases(config: &SdkConfig) -> DynamoLeaseStore {
    DynamoLeaseStore::new(config, "orders-leases").create_table_if_missing()
}

pub(crate) fn service(broker: KinesisBroker, leases: DynamoLeaseStore) -> RustStream {
    let broker = broker.lease_store(Arc::new(leases));
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(handle);
    })
}

#[tokio::main]
async fn main() -> Result<(), RustStreamError> {
    // One configuration for both clients, so the table is in the region of the stream.
    let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
    let leases = leases(&config);
    service(KinesisBroker::from_config(config), leases)
        .run()
        .await
}

//! `kinesis_leases_legacy` without macros: takes over a lease table of an earlier version.
//!
//! `cargo run --example manual_kinesis_leases_legacy --features dynamodb-lease`, with the region
//! and the credentials of the environment, once the old instances are stopped. The table
//! `orders-leases` and the stream `orders` have to be there.

use std::error::Error;
use std::future::ready;
use std::sync::Arc;

use aws_config::{BehaviorVersion, SdkConfig};
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime::Runtime;

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
}

struct HandleOrder;

impl Handle<Order> for HandleOrder {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("got order {}", order.id);
        ready(Ok(()))
    }
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
        b.include(subscriber(KinesisStream::new("orders"), HandleOrder).build());
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    Runtime::new()?.block_on(async {
        let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
        let leases = leases(&config);
        service(KinesisBroker::from_config(config), leases)
            .run()
            .await?;
        Ok(())
    })
}

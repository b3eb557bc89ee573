//! `kinesis_leases_dynamodb` without macros: checkpoints in a `DynamoDB` table.
//!
//! `cargo run --example manual_kinesis_leases_dynamodb --features dynamodb-lease`, with the region
//! and the credentials of the environment. The stream `orders` has to be there; the table is
//! created.

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

/// The table of this service. Where it is managed as infrastructure, leave
/// `create_table_if_missing` out and the service needs no right to create one.
pub(crate) fn leases(config: &SdkConfig) -> DynamoLeaseStore {
    DynamoLeaseStore::new(config, "orders-leases").create_table_if_missing()
}

pub(crate) fn service(broker: KinesisBroker, leases: DynamoLeaseStore) -> RustStream {
    let broker = broker.lease_store(Arc::new(leases));
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(subscriber(KinesisStream::new("orders"), HandleOrder).build());
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    Runtime::new()?.block_on(async {
        // One configuration for both clients, so the table is in the region of the stream.
        let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
        let leases = leases(&config);
        service(KinesisBroker::from_config(config), leases)
            .run()
            .await?;
        Ok(())
    })
}

//! `kinesis_leases_two_instances` without macros: two processes share a stream's shards.
//!
//! `cargo run --example manual_kinesis_leases_two_instances --features dynamodb-lease -- a`, and in
//! a second terminal the same with `-- b`, with the region and the credentials of the environment.
//! The stream `orders` has to be there. Each prints which shards it reads; stop one, and the other
//! takes them all.

use std::env;
use std::error::Error;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use aws_config::BehaviorVersion;
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisMonitor, LeaseStore};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime::Runtime;
use tokio::time::sleep;

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

// What makes two processes one service: the same table, and the same spelling of the stream.
pub(crate) fn service(
    broker: KinesisBroker,
    leases: Arc<dyn LeaseStore>,
    name: &str,
) -> RustStream {
    let broker = broker.lease_store(leases).owner_id(name);
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(subscriber(KinesisStream::new("orders"), HandleOrder).build());
    })
}

/// The shards this instance reads.
pub(crate) fn shards(monitor: &KinesisMonitor) -> Vec<String> {
    let streams = monitor.streams().into_iter();
    let shards = streams.flat_map(|stream| stream.shards);
    shards.map(|shard| shard.shard).collect()
}

async fn show(monitor: KinesisMonitor) {
    let mut shown = Vec::new();
    loop {
        let reads = shards(&monitor);
        if reads != shown {
            println!("reads {reads:?}");
            shown = reads;
        }
        sleep(Duration::from_millis(500)).await;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = env::args().nth(1).unwrap_or_else(|| "a".to_owned());
    Runtime::new()?.block_on(async {
        let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
        let leases = DynamoLeaseStore::new(&config, "orders-leases").create_table_if_missing();
        let broker = KinesisBroker::from_config(config);
        tokio::spawn(show(broker.monitor()));
        service(broker, Arc::new(leases), &name).run().await?;
        Ok(())
    })
}

//! Two instances of one service, each a process, share a stream's shards through one table.
//!
//! `cargo run --example kinesis_leases_two_instances --features dynamodb-lease -- a`, and in a
//! second terminal the same with `-- b`, with the region and the credentials of the environment.
//! The stream `orders` has to be there. Each prints which shards it reads; stop one, and the other
//! takes them all. The example `leases` tells the same story in one process, without an account.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use aws_config::BehaviorVersion;
use ruststream::runtime::RustStreamError;
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisMonitor, LeaseStore};
use serde::Deserialize;
use tokio::time::sleep;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber(KinesisStream::new("orders"))]
async fn handle(order: &Order) -> HandlerOutcome {
    println!("got order {}", order.id);
    HandlerOutcome::ack()
}

// What makes two processes one service: the same table, and the same spelling of the stream.
pub(crate) fn service(
    broker: KinesisBroker,
    leases: Arc<dyn LeaseStore>,
    name: &str,
) -> RustStream {
    let broker = broker.lease_store(leases).owner_id(name);
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(handle);
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

#[tokio::main]
async fn main() -> Result<(), RustStreamError> {
    let name = env::args().nth(1).unwrap_or_else(|| "a".to_owned());
    let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
    let leases = DynamoLeaseStore::new(&config, "orders-leases").create_table_if_missing();
    let broker = KinesisBroker::from_config(config);
    tokio::spawn(show(broker.monitor()));
    service(broker, Arc::new(leases), &name).run().await
}

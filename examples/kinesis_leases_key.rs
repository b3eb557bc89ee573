//! Asks the lease store how far a shard was handled: a row is named by its stream and its shard.
//!
//! `cargo run --example kinesis_leases_key`, with the region and the credentials of the
//! environment. The streams `orders` and `refunds` have to be there. When the service stops, it
//! prints where it stands.

use std::sync::Arc;

use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{LeaseError, LeaseKey, LeaseStore, MemoryLeaseStore};
use serde::Deserialize;

#[derive(Deserialize)]
struct Entry {
    cents: u64,
}

#[subscriber(KinesisStream::new("orders"))]
async fn charge(entry: &Entry) -> HandlerOutcome {
    println!("charged {} cents", entry.cents);
    HandlerOutcome::ack()
}

#[subscriber(KinesisStream::new("refunds"))]
async fn refund(entry: &Entry) -> HandlerOutcome {
    println!("refunded {} cents", entry.cents);
    HandlerOutcome::ack()
}

pub(crate) fn service(broker: KinesisBroker, leases: Arc<dyn LeaseStore>) -> RustStream {
    let broker = broker.lease_store(leases);
    RustStream::new(AppInfo::new("billing", "0.1.0")).with_broker(broker, |b| {
        b.include(charge);
        b.include(refund);
    })
}

/// Every stream's first shard has the same id, so the id alone names no row.
pub(crate) async fn first_shard(
    leases: &dyn LeaseStore,
    stream: &str,
) -> Result<String, LeaseError> {
    let key = LeaseKey::new(stream, "shardId-000000000000");
    let state = leases.read(&key).await?;
    let checkpoint = state.checkpoint.as_deref().unwrap_or("no checkpoint yet");
    Ok(format!("{key}  {checkpoint}"))
}

#[tokio::main]
async fn main() -> Result<(), LeaseError> {
    let leases = Arc::new(MemoryLeaseStore::new());
    service(KinesisBroker::new(), leases.clone()).run().await?;
    for stream in ["orders", "refunds"] {
        println!("{}", first_shard(&*leases, stream).await?);
    }
    Ok(())
}

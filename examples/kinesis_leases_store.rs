//! A lease store of one's own choice: the service takes it from the code that starts it.
//!
//! `cargo run --example kinesis_leases_store`, with the region and the credentials of the
//! environment. Two instances run in this process, on one store, and share the shards of the
//! stream `inventory`, which has to be there.

use std::sync::Arc;

use ruststream::runtime::RustStreamError;
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{LeaseStore, MemoryLeaseStore};
use serde::Deserialize;

#[derive(Deserialize)]
struct StockChange {
    article: String,
    pieces: i64,
}

/// Applies a change. Every instance runs this handler; the store decides which instance reads
/// which shard.
#[subscriber(KinesisStream::new("inventory"))]
async fn apply(change: &StockChange) -> HandlerOutcome {
    println!("{:+} pieces of {}", change.pieces, change.article);
    HandlerOutcome::ack()
}

// Any store fits, whatever it keeps its rows in: five calls over conditional writes are one.
pub(crate) fn service(broker: KinesisBroker, leases: Arc<dyn LeaseStore>) -> RustStream {
    RustStream::new(AppInfo::new("inventory", "0.1.0")).with_broker(
        broker.lease_store(leases),
        |b| {
            b.include(apply);
        },
    )
}

#[tokio::main]
async fn main() -> Result<(), RustStreamError> {
    // Both instances are in this process, so its memory is a store they both reach. Instances on
    // several hosts need one outside, such as a `DynamoLeaseStore`.
    let leases: Arc<dyn LeaseStore> = Arc::new(MemoryLeaseStore::new());
    let first = service(KinesisBroker::new(), Arc::clone(&leases));
    let second = service(KinesisBroker::new(), leases);
    tokio::try_join!(first.run(), second.run())?;
    Ok(())
}

//! `kinesis_leases_store` without macros: a lease store of one's own choice.
//!
//! `cargo run --example manual_kinesis_leases_store`, with the region and the credentials of the
//! environment. Two instances run in this process, on one store, and share the shards of the
//! stream `inventory`, which has to be there.

use std::error::Error;
use std::future::ready;
use std::sync::Arc;

use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{LeaseStore, MemoryLeaseStore};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime::Runtime;

#[derive(Deserialize, JsonSchema)]
struct StockChange {
    article: String,
    pieces: i64,
}

/// Applies a change. Every instance runs this handler; the store decides which instance reads
/// which shard.
struct Apply;

impl Handle<StockChange> for Apply {
    fn handle(
        &self,
        change: &StockChange,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("{:+} pieces of {}", change.pieces, change.article);
        ready(Ok(()))
    }
}

// Any store fits, whatever it keeps its rows in: five calls over conditional writes are one.
pub(crate) fn service(broker: KinesisBroker, leases: Arc<dyn LeaseStore>) -> RustStream {
    RustStream::new(AppInfo::new("inventory", "0.1.0")).with_broker(
        broker.lease_store(leases),
        |b| {
            b.include(subscriber(KinesisStream::new("inventory"), Apply).build());
        },
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    // Both instances are in this process, so its memory is a store they both reach. Instances on
    // several hosts need one outside, such as a `DynamoLeaseStore`.
    let leases: Arc<dyn LeaseStore> = Arc::new(MemoryLeaseStore::new());
    let first = service(KinesisBroker::new(), Arc::clone(&leases));
    let second = service(KinesisBroker::new(), leases);
    Runtime::new()?.block_on(async {
        let second = tokio::spawn(second.run());
        first.run().await?;
        second.await??;
        Ok(())
    })
}

//! `kinesis_leases_key` without macros: asks the lease store how far a shard was handled.
//!
//! `cargo run --example manual_kinesis_leases_key`, with the region and the credentials of the
//! environment. The streams `orders` and `refunds` have to be there. When the service stops, it
//! prints where it stands.

use std::future::ready;
use std::sync::Arc;

use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{LeaseError, LeaseKey, LeaseStore, MemoryLeaseStore};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime::Runtime;

#[derive(Deserialize, JsonSchema)]
struct Entry {
    cents: u64,
}

/// One body for both streams; which verb it prints is a value.
struct Book(&'static str);

impl Handle<Entry> for Book {
    fn handle(
        &self,
        entry: &Entry,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("{} {} cents", self.0, entry.cents);
        ready(Ok(()))
    }
}

pub(crate) fn service(broker: KinesisBroker, leases: Arc<dyn LeaseStore>) -> RustStream {
    let broker = broker.lease_store(leases);
    RustStream::new(AppInfo::new("billing", "0.1.0")).with_broker(broker, |b| {
        b.include(subscriber(KinesisStream::new("orders"), Book("charged")).build());
        b.include(subscriber(KinesisStream::new("refunds"), Book("refunded")).build());
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

fn main() -> Result<(), LeaseError> {
    let leases = Arc::new(MemoryLeaseStore::new());
    Runtime::new()?.block_on(async {
        service(KinesisBroker::new(), leases.clone()).run().await?;
        for stream in ["orders", "refunds"] {
            println!("{}", first_shard(&*leases, stream).await?);
        }
        Ok(())
    })
}

//! Leases and checkpoints in the process's memory: right for one instance, empty after a restart.
//!
//! `cargo run --example kinesis_leases_memory`, with the region and the credentials of the
//! environment. The stream `inventory` has to be there.

use std::sync::Arc;

use ruststream_kinesis::MemoryLeaseStore;
use ruststream_kinesis::prelude::*;
use serde::Deserialize;

/// How much of an article there is. A level replaces the one before it, so reading it twice does
/// no harm.
#[derive(Deserialize)]
struct Level {
    article: String,
    pieces: u32,
}

// After a restart no shard has a checkpoint. What the stream retains is then read again; without
// the start position the service would begin at the tip and miss what was published while it was
// down.
#[subscriber(KinesisStream::new("inventory"), start_at(KinesisPosition::horizon()))]
async fn set(level: &Level) -> HandlerOutcome {
    println!("{} pieces of {}", level.pieces, level.article);
    HandlerOutcome::ack()
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    // The default, written out: a broker that is told nothing makes itself such a store.
    let leases = Arc::new(MemoryLeaseStore::new());
    RustStream::new(AppInfo::new("inventory", "0.1.0")).with_broker(
        broker.lease_store(leases),
        |b| {
            b.include(set);
        },
    )
}

#[ruststream::app]
pub(crate) fn app() -> RustStream {
    service(KinesisBroker::new())
}

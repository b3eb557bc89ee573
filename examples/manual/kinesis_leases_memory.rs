//! `kinesis_leases_memory` without macros: leases and checkpoints in the process's memory.
//!
//! `cargo run --example manual_kinesis_leases_memory`, with the region and the credentials of the
//! environment. The stream `inventory` has to be there.

use std::future::ready;
use std::process::ExitCode;
use std::sync::Arc;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::MemoryLeaseStore;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

/// How much of an article there is. A level replaces the one before it, so reading it twice does
/// no harm.
#[derive(Deserialize, JsonSchema)]
struct Level {
    article: String,
    pieces: u32,
}

struct Set;

impl Handle<Level> for Set {
    fn handle(
        &self,
        level: &Level,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("{} pieces of {}", level.pieces, level.article);
        ready(Ok(()))
    }
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    // The default, written out: a broker that is told nothing makes itself such a store.
    let leases = Arc::new(MemoryLeaseStore::new());
    RustStream::new(AppInfo::new("inventory", "0.1.0")).with_broker(
        broker.lease_store(leases),
        |b| {
            // After a restart no shard has a checkpoint. What the stream retains is then read
            // again; without the start position the service would begin at the tip and miss what
            // was published while it was down.
            let set = subscriber(KinesisStream::new("inventory"), Set);
            b.include(set.start_at(KinesisPosition::horizon()).build());
        },
    )
}

pub(crate) fn app() -> RustStream {
    service(KinesisBroker::new())
}

fn main() -> ExitCode {
    run_main(app)
}

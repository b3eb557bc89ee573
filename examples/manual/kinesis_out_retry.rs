//! The publisher of retry copies, without macros.
//!
//! `cargo run --example manual_kinesis_out_retry`

use std::future::ready;
use std::process::ExitCode;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

/// What the bank takes without a look at the account.
const LIMIT: u64 = 10_000;

#[derive(Deserialize, JsonSchema)]
struct Charge {
    id: u64,
    cents: u64,
}

struct TakeMoney;

impl Handle<Charge> for TakeMoney {
    fn handle(
        &self,
        charge: &Charge,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        if charge.cents > LIMIT {
            println!("charge {} has to wait for the bank", charge.id);
            return ready(Err(HandlerOutcome::retry()));
        }
        ready(Ok(()))
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("charges", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(subscriber(KinesisStream::new("charges"), TakeMoney).build())
            .max_attempts(nonzero!(3))
            .dead_letter("charges.refused")
            // A copy takes the key of the record it copies. With this one all of them, the dead
            // letter included, share one shard, and the shards of the customers stay free of them.
            .out_retry(Publish::default())
            .partition_key("retries");
    })
}

fn main() -> ExitCode {
    run_main(app)
}

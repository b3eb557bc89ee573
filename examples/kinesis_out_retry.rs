//! The publisher that retry copies leave through, here with a partition key of its own.
//!
//! `cargo run --example kinesis_out_retry`

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

/// What the bank takes without a look at the account.
const LIMIT: u64 = 10_000;

#[derive(Deserialize)]
struct Charge {
    id: u64,
    cents: u64,
}

#[subscriber(KinesisStream::new("charges"))]
async fn take_money(charge: &Charge) -> HandlerOutcome {
    if charge.cents > LIMIT {
        println!("charge {} has to wait for the bank", charge.id);
        return HandlerOutcome::retry();
    }
    HandlerOutcome::ack()
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("charges", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(take_money)
            .max_attempts(nonzero!(3))
            .dead_letter("charges.refused")
            // A copy takes the key of the record it copies. With this one all of them, the dead
            // letter included, share one shard, and the shards of the customers stay free of them.
            .out_retry(Publish::default())
            .partition_key("retries");
    })
}

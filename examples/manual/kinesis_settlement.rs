//! The four outcomes of a record without macros: `Ok` acknowledges, `Err` carries the others.
//!
//! `cargo run --example manual_kinesis_settlement`

use std::future::ready;
use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

const NEXT_DELIVERY: Duration = Duration::from_mins(10);

/// What the warehouse answers for the article of an order.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Stock {
    Available,
    Discontinued,
    OnTheWay,
    Unknown,
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
    stock: Stock,
}

struct Pick;

impl Handle<Order> for Pick {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("looking after order {}", order.id);
        ready(match order.stock {
            // Handled: the checkpoint moves past the order once nothing before it is open.
            Stock::Available => Ok(()),
            // Never going to be: the checkpoint moves past it all the same.
            Stock::Discontinued => Err(HandlerOutcome::drop()),
            // Not now: the checkpoint moves past it, and a copy is written to the tip of the stream
            // after the pause. The copy waits in memory, so a crash before loses it.
            Stock::OnTheWay => Err(HandlerOutcome::retry_after(NEXT_DELIVERY)),
            // Must not be lost: the checkpoint stays before it. Later orders are still handed over,
            // and all of them come again with this one when the lease of the shard is next taken.
            Stock::Unknown => Err(HandlerOutcome::retry()),
        })
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("warehouse", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // No cap and no dead letter is declared here: with one, `retry()` writes a copy as well.
        b.include(subscriber(KinesisStream::new("orders"), Pick).build());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

//! Retries with a cap and a dead letter, without macros.
//!
//! `cargo run --example manual_kinesis_retries`

use std::future::ready;
use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
    paid: bool,
}

/// Asks for a pause where there is nothing to ship yet. How many it gets is not decided here.
struct Ship;

impl Handle<Order> for Ship {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        if !order.paid {
            return ready(Err(HandlerOutcome::retry_after(PATIENCE)));
        }
        println!("shipping order {}", order.id);
        ready(Ok(()))
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("shipping", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // Four deliveries, the first one counted. Each copy carries its count in a header, and goes
        // to the tip of the stream, so the order gives up its place among the others.
        b.include(subscriber(KinesisStream::new("orders"), Ship).build())
            .max_attempts(nonzero!(4))
            // Both streams have to be there. Without a dead letter the order would be passed by.
            .dead_letter("orders.unpaid");
    })
}

fn main() -> ExitCode {
    run_main(app)
}

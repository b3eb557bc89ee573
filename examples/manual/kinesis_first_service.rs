//! The first service without macros: the handler is a type, and `main` is written by hand.
//!
//! `cargo run --example manual_kinesis_first_service`

use std::future::ready;
use std::process::ExitCode;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
    cents: u64,
}

struct Receive;

/// `Ok` acknowledges the order, which moves the checkpoint of its shard past it.
impl Handle<Order> for Receive {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("order {} of {} cents", order.id, order.cents);
        ready(Ok(()))
    }
}

/// Building the app dials nothing: the region and the credentials are looked up when it runs.
pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(subscriber(KinesisStream::new("orders"), Receive).build());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

//! `kinesis_asyncapi` without macros: the document of a service.
//!
//! `cargo run --example manual_kinesis_asyncapi -- asyncapi gen` prints it, with `--yaml` as YAML.
//! Nothing is dialled for it.

use std::future::ready;
use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
}

#[derive(Serialize, JsonSchema)]
struct Receipt {
    order: u64,
}

impl OutgoingDestination for Receipt {
    type Form = FixedName;

    const DESTINATION: &'static str = "receipts";
}

impl MessageHeaders for Receipt {
    type Contract = NoHeaders;
}

struct Confirm;

impl Handle<Order, Receipt> for Confirm {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<Receipt, HandlerOutcome>> {
        ready(Ok(Receipt { order: order.id }))
    }
}

pub(crate) fn app() -> RustStream {
    // A broker under a label is listed among the document's servers.
    let broker = KinesisBroker::new().region("eu-west-1");
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker_labeled("kinesis", broker, |b| {
        let orders = KinesisStream::new("orders")
            .poll_interval(Duration::from_millis(500))
            .create_if_missing(2);
        let confirm = subscriber(orders, Confirm).describe("Confirms an order.");
        b.include(confirm.reply().build())
            .out_reply(Publish::default())
            .partition_key("tenant-acme");
    })
}

fn main() -> ExitCode {
    run_main(app)
}

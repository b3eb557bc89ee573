//! The document of a service, with what only this broker knows as `x-ruststream-kinesis`.
//!
//! `cargo run --example kinesis_asyncapi -- asyncapi gen` prints it, with `--yaml` as YAML. Nothing
//! is dialled for it.

use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
}

#[derive(Serialize, Outgoing, JsonSchema)]
#[outgoing(name = "receipts")]
struct Receipt {
    order: u64,
}

/// Confirms an order.
#[subscriber(
    stream = "orders",
    poll_interval = "500ms",
    create_if_missing = 2,
    reply
)]
async fn confirm(order: &Order) -> Receipt {
    Receipt { order: order.id }
}

#[ruststream::app]
pub(crate) fn app() -> RustStream {
    // A broker under a label is listed among the document's servers.
    let broker = KinesisBroker::new().region("eu-west-1");
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker_labeled("kinesis", broker, |b| {
        b.include(confirm)
            .out_reply(Publish::default())
            .partition_key("tenant-acme");
    })
}

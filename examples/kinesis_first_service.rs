//! The first service: one handler on one stream.
//!
//! `cargo run --example kinesis_first_service`

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
    cents: u64,
}

/// Called once for each order. Acknowledging it moves the checkpoint of its shard past it.
#[subscriber(KinesisStream::new("orders"))]
async fn handle(order: &Order) -> HandlerOutcome {
    println!("order {} of {} cents", order.id, order.cents);
    HandlerOutcome::ack()
}

/// Building the app dials nothing: the region and the credentials are looked up when it runs.
#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handle);
    })
}

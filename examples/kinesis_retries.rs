//! Retries with a cap, and a stream for what is given up.
//!
//! `cargo run --example kinesis_retries`

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct Order {
    id: u64,
    paid: bool,
}

/// Asks for a pause where there is nothing to ship yet. How many it gets is not decided here.
#[subscriber(KinesisStream::new("orders"))]
async fn ship(order: &Order) -> HandlerOutcome {
    if !order.paid {
        return HandlerOutcome::retry_after(PATIENCE);
    }
    println!("shipping order {}", order.id);
    HandlerOutcome::ack()
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("shipping", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // Four deliveries, the first one counted. Each copy carries its count in a header, and goes
        // to the tip of the stream, so the order gives up its place among the others.
        b.include(ship)
            .max_attempts(nonzero!(4))
            // Both streams have to be there. Without a dead letter the order would be passed by.
            .dead_letter("orders.unpaid");
    })
}

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber(KinesisStream)]
async fn open(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

#[subscriber("jobs", poll_interval = "1s")]
async fn handle(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

#[subscriber(KinesisStream::new("invoices"))]
async fn fixed(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(open.name("orders").create_if_missing(1));
        b.include(
            handle
                .poll_interval(Duration::from_secs(2))
                .workers(nonzero!(2)),
        );
        b.include(
            fixed
                .workers(nonzero!(2))
                .memory_budget(1 << 20)
                .start_at(KinesisPosition::horizon()),
        );
    })
}

fn main() {
    let _ = app();
}

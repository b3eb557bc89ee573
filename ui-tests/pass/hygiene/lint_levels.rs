#![deny(warnings)]

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber("orders", poll_interval = "2s")]
#[allow(unused_variables)]
async fn handle(order: &Order) -> HandlerOutcome {
    let unused = order.id;
    HandlerOutcome::ack()
}

#[subscriber("jobs", poll_interval = "2s")]
#[expect(unused_variables, reason = "they are not used yet")]
async fn expecting(order: &Order) -> HandlerOutcome {
    let unused = order.id;
    HandlerOutcome::ack()
}

#[subscriber("invoices", batch = 2)]
#[allow(dead_code)]
async fn not_mounted(orders: &[Order]) -> HandlerOutcome {
    let _ = orders.len();
    HandlerOutcome::ack()
}

#[subscriber("bills", batch = 2)]
#[deprecated = "read the invoices"]
async fn deprecated(orders: &[Order]) -> HandlerOutcome {
    let _ = orders.len();
    HandlerOutcome::ack()
}

fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handle);
        b.include(expecting);
        #[expect(deprecated, reason = "until the bills are read")]
        b.include(deprecated);
    })
}

fn main() {
    let _ = app();
}

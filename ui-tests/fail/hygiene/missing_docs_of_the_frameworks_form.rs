//! Its public items are documented, the handlers as any other.

#![deny(missing_docs)]

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

/// An order.
#[derive(Deserialize)]
pub struct Order {
    /// Its number.
    pub id: u64,
}

/// Handles an order, and the framework keeps no docs.
#[subscriber("orders")]
pub async fn handle(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

fn main() {
    let _ =
        RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
            b.include(handle);
        });
}

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

/// The handlers.
pub mod handlers {
    use super::*;

    /// Handles an order.
    #[subscriber("orders", poll_interval = "2s")]
    pub async fn handle(order: &Order) -> HandlerOutcome {
        let _ = order.id;
        HandlerOutcome::ack()
    }

    /// Handles a batch of them.
    #[subscriber("jobs", batch = 500)]
    pub async fn handle_all(orders: &[Order]) -> HandlerOutcome {
        let _ = orders.len();
        HandlerOutcome::ack()
    }
}

/// The service.
pub fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handlers::handle);
        b.include(handlers::handle_all);
    })
}

fn main() {
    let _ = app();
}

use serde::Deserialize;

/// Where a service keeps what it uses of its broker.
mod broker {
    pub use ruststream_kinesis::*;
}

use broker::prelude::*;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber("orders", krate = crate::broker, start_at = horizon, batch = 5)]
async fn handle(orders: &[Order]) -> HandlerOutcome {
    let _ = orders.len();
    HandlerOutcome::ack()
}

fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handle);
    })
}

fn main() {
    let _ = app();
}

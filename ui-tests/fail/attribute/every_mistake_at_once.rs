use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber(
    stream = "or ders",
    pol_interval = "2s",
    create_if_missing = 0,
    start_at = horizn,
    batch = 20_000,
    wrokers(4),
    reply()
)]
async fn handle(order: &Order) -> HandlerOutcome {
    let _ = order.id;
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

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber(
    stream = "arn:aws:kinesis:eu-west-1:123456789012:stream/orders",
    poll_interval = "500ms",
    create_if_missing = 2,
    checkpoint_interval = "1m",
    memory_budget = 67_108_864,
    start_at = sequence("shardId-000000000000", "49"),
    batch = 500,
    krate = ruststream_kinesis,
    workers(2),
    on_failure(panic = drop, decode = skip),
)]
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

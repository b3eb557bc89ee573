use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

const SHARDS: u8 = 2;

fn pause() -> u64 {
    500
}

#[subscriber("orders", poll_interval = pause(), create_if_missing = SHARDS, memory_budget = SHARDS)]
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

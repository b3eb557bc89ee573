use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

const REPLAY: KinesisPosition = KinesisPosition::timestamp(1_700_000_000_000);

#[subscriber(stream = "orders", start_at(KinesisPosition::horizon()))]
async fn handle(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

#[subscriber(stream = "jobs", start_at = REPLAY)]
async fn replay(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

#[subscriber(stream = "invoices")]
async fn at_the_mount(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handle);
        b.include(replay);
        b.include(at_the_mount.start_at(KinesisPosition::latest()));
    })
}

fn main() {
    let _ = app();
}

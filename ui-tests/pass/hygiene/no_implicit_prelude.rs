#![no_implicit_prelude]

use ::ruststream_kinesis::prelude::{
    AppInfo, HandlerOutcome, KinesisBroker, KinesisPosition, RustStream,
};
use ::ruststream_kinesis::subscriber;

#[derive(::serde::Deserialize)]
struct Order {
    id: u64,
}

const REPLAY: KinesisPosition = KinesisPosition::horizon();

/// Documented, so that its definition is ours.
#[subscriber(stream = "orders", poll_interval = "2s", start_at = REPLAY)]
async fn handle(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

#[subscriber("jobs", batch = 500)]
async fn batch(orders: &[Order]) -> HandlerOutcome {
    let _ = orders.len();
    HandlerOutcome::ack()
}

fn main() {
    let _ =
        RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
            b.include(handle);
            b.include(batch);
        });
}

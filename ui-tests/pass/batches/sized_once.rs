use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

const SIZE: usize = 10_000;

#[subscriber("orders", batch = SIZE)]
async fn handle(orders: &[Order], ctx: &mut Context<'_, KinesisBatchContext>) -> HandlerOutcome {
    let _ = (orders.len(), ctx.context(SeekHandle));
    HandlerOutcome::ack()
}

#[subscriber("jobs")]
async fn at_the_mount(orders: &[Order]) -> HandlerOutcome {
    let _ = orders.len();
    HandlerOutcome::ack()
}

#[subscriber("invoices")]
async fn of_single_records(order: &Order, ctx: &mut Context<'_, KinesisContext>) -> HandlerOutcome {
    let _ = (order.id, ctx.context(Position));
    HandlerOutcome::ack()
}

fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handle);
        b.include(at_the_mount.batch(nonzero!(500)));
        b.include(of_single_records);
    })
}

fn main() {
    let _ = app();
}

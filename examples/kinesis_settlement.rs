//! The four outcomes of a record, and what each does to the checkpoint of its shard.
//!
//! `cargo run --example kinesis_settlement`

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

const NEXT_DELIVERY: Duration = Duration::from_mins(10);

/// What the warehouse answers for the article of an order.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stock {
    Available,
    Discontinued,
    OnTheWay,
    Unknown,
}

#[derive(Deserialize)]
struct Order {
    id: u64,
    stock: Stock,
}

#[subscriber(KinesisStream::new("orders"))]
async fn pick(order: &Order) -> HandlerOutcome {
    println!("looking after order {}", order.id);
    match order.stock {
        // Handled: the checkpoint moves past the order once nothing before it is open.
        Stock::Available => HandlerOutcome::ack(),
        // Never going to be: the checkpoint moves past it all the same.
        Stock::Discontinued => HandlerOutcome::drop(),
        // Not now: the checkpoint moves past it, and a copy is written to the tip of the stream
        // after the pause. The copy waits in memory, so a crash before loses it.
        Stock::OnTheWay => HandlerOutcome::retry_after(NEXT_DELIVERY),
        // Must not be lost: the checkpoint stays before it. Later orders are still handed over, and
        // all of them come again with this one when the lease of the shard is next taken.
        Stock::Unknown => HandlerOutcome::retry(),
    }
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("warehouse", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // No cap and no dead letter is declared here: with one, `retry()` writes a copy as well.
        b.include(pick);
    })
}

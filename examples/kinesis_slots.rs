//! Slots: a handler publishes through named positions, and the mount site says what is behind them.
//!
//! `cargo run --example kinesis_slots`

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

const LARGE: u64 = 100_000;

/// How long a stream that takes nothing is left alone.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Order {
    id: u64,
    cents: u64,
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "orders.journal")]
struct Entry {
    order: u64,
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "orders.alerts")]
struct Alert {
    order: u64,
    cents: u64,
}

/// A marker lists what may leave through its slot; anything else does not compile.
#[derive(OutSlot)]
#[publishes(Entry)]
struct Journal;

#[derive(OutSlot)]
#[publishes(Alert)]
struct Alerts;

/// The body names no broker, so it would run on another one as it is.
#[subscriber("orders")]
async fn book(
    order: &Order,
    Out(journal): Out<impl Publisher, Journal>,
    Out(alerts): Out<impl Publisher, Alerts>,
) -> HandlerOutcome {
    let Order { id: order, cents } = *order;
    // A copy is handled in a moment. `retry()` without a cap would leave the order, and the
    // checkpoint of its shard with it, until the lease is next taken.
    let again = HandlerOutcome::retry_after(PAUSE);
    if journal.message(&Entry { order }).publish().await.is_err() {
        return again;
    }
    if cents >= LARGE
        && alerts
            .message(&Alert { order, cents })
            .publish()
            .await
            .is_err()
    {
        return again;
    }
    HandlerOutcome::ack()
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("books", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(book)
            // The journal is one sequence, so it stays in one shard.
            .out(Journal, Publish::default().partition_key("journal"))
            .out(Alerts, Publish::default())
            // Four deliveries; after that the order goes to a stream somebody looks at.
            .max_attempts(nonzero!(4))
            .dead_letter("orders.unbooked")
            .build();
    })
}

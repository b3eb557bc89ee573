//! Headers: the three that every delivery carries, and the user's own.
//!
//! `cargo run --example kinesis_headers`

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{PARTITION_KEY_HEADER, SEQUENCE_HEADER, SHARD_HEADER};
use serde::{Deserialize, Serialize};

/// How long a stream that takes nothing is left alone.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Order {
    id: u64,
}

/// What a publisher of orders writes into their headers: one header a field.
#[derive(Serialize, Deserialize)]
struct Tenant {
    tenant: String,
}

/// A line of the audit log, which is not to be written without its tenant.
#[derive(Serialize, Outgoing)]
#[outgoing(name = "orders.audit", headers = Tenant)]
struct Line {
    order: u64,
    read_from: String,
}

#[derive(OutSlot)]
#[publishes(Line)]
struct Audit;

/// An order without a tenant is dropped before the body runs.
#[subscriber(KinesisStream::new("orders"))]
async fn handle(
    order: &Order,
    ctx: &mut Context<'_>,
    Headers(tenant): Headers<Tenant>,
    Out(audit): Out<impl Publisher, Audit>,
) -> HandlerOutcome {
    // They say where the record is, whatever a publisher wrote under these names.
    let places = [SHARD_HEADER, SEQUENCE_HEADER, PARTITION_KEY_HEADER];
    let places = places.map(|name| ctx.headers().get_str(name).unwrap_or("-"));
    let line = Line {
        order: order.id,
        read_from: places.join(" "),
    };
    match audit.message(&line).with_headers(&tenant).publish().await {
        Ok(()) => HandlerOutcome::ack(),
        // A copy is handled in a moment. `retry()` without a cap would leave the order, and the
        // checkpoint of its shard with it, until the lease is next taken.
        Err(_) => HandlerOutcome::retry_after(PAUSE),
    }
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handle)
            .out(Audit, Publish::default())
            // Four deliveries; after that the order goes to a stream somebody looks at.
            .max_attempts(nonzero!(4))
            .dead_letter("orders.unaudited")
            .build();
    })
}

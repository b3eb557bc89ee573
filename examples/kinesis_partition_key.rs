//! The four places that can name a record's partition key, and which of them wins.
//!
//! `cargo run --example kinesis_partition_key`

use std::time::Duration;

use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

/// How long a stream that takes nothing is left alone.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Order {
    id: u64,
    customer: String,
    region: String,
}

/// No stream is fixed to the type, so each call names one.
#[derive(Serialize, Outgoing)]
struct Event {
    order: u64,
}

#[derive(OutSlot)]
#[publishes(Event)]
struct Keyed;

#[derive(OutSlot)]
#[publishes(Event)]
struct Spread;

/// The bound on the options is what puts the step within reach.
#[subscriber(KinesisStream::new("orders"))]
async fn announce(
    order: &Order,
    Out(keyed): Out<impl Publisher<Options = KinesisPublishOptions>, Keyed>,
    Out(spread): Out<impl Publisher, Spread>,
) -> HandlerOutcome {
    let event = Event { order: order.id };
    let mut region = HeaderMap::new();
    region.insert(PARTITION_KEY_HEADER, order.region.clone());
    let sent = [
        // 1. The step of this publish, before the header and the policy.
        keyed
            .message(&event)
            .to("orders.by-customer")
            .with_headers(region.clone())
            .partition_key(order.customer.as_str())
            .publish()
            .await
            .is_ok(),
        // 2. The header this call writes, before the policy; other brokers understand it as well.
        keyed
            .message(&event)
            .to("orders.by-region")
            .with_headers(region)
            .publish()
            .await
            .is_ok(),
        // 3. The key of the policy the slot is mounted with.
        keyed
            .message(&event)
            .to("orders.ledger")
            .publish()
            .await
            .is_ok(),
        // 4. A key of its own for each record, which spreads them over the shards.
        spread
            .message(&event)
            .to("orders.count")
            .publish()
            .await
            .is_ok(),
    ];
    if sent.contains(&false) {
        // A copy is handled in a moment. `retry()` without a cap would leave the order, and the
        // checkpoint of its shard with it, until the lease is next taken.
        return HandlerOutcome::retry_after(PAUSE);
    }
    HandlerOutcome::ack()
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(announce)
            .out(Keyed, Publish::default().partition_key("ledger"))
            .out(Spread, Publish::default())
            // Four deliveries; after that the order goes to a stream somebody looks at.
            .max_attempts(nonzero!(4))
            .dead_letter("orders.unannounced")
            .build();
    })
}

//! The four places of a partition key, without macros: a slot is one entry of the body's `Outs`.
//!
//! `cargo run --example manual_kinesis_partition_key`

use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a stream that takes nothing is left alone.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
    customer: String,
    region: String,
}

#[derive(Serialize, JsonSchema)]
struct Event {
    order: u64,
}

/// No stream is fixed to the type, so each call names one.
impl OutgoingDestination for Event {
    type Form = CallerName;
}

impl MessageHeaders for Event {
    type Contract = NoHeaders;
}

struct Keyed;

impl OutSlot for Keyed {
    const NAME: &'static str = "Keyed";
    type Destination = Names;
}

impl PublishedThrough<Keyed> for Event {}

struct Spread;

impl OutSlot for Spread {
    const NAME: &'static str = "Spread";
    type Destination = Names;
}

impl PublishedThrough<Spread> for Event {}

struct Announce;

/// A copy is handled in a moment. `retry()` without a cap would leave the order, and the checkpoint
/// of its shard with it, until the lease is next taken.
fn again<E>(_: E) -> HandlerOutcome {
    HandlerOutcome::retry_after(PAUSE)
}

/// The bound on the options is what puts the step within reach.
impl<K, S> Handle<Order, (), Outs<(K, S)>> for Announce
where
    K: OutEntry<Keyed, Wire: Publisher<Options = KinesisPublishOptions>>,
    S: OutEntry<Spread, Wire: Publisher>,
{
    async fn handle(
        &self,
        order: &Order,
        outs: &Outs<(K, S)>,
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        let event = Event { order: order.id };
        let (keyed, spread) = (outs.get(Keyed), outs.get(Spread));
        let mut region = HeaderMap::new();
        region.insert(PARTITION_KEY_HEADER, order.region.clone());
        // 1. The step of this publish, before the header and the policy.
        let by_customer = keyed
            .message(&event)
            .to("orders.by-customer")
            .with_headers(region.clone())
            .partition_key(order.customer.as_str());
        by_customer.publish().await.map_err(again)?;
        // 2. The header this call writes, before the policy; other brokers understand it as well.
        let by_region = keyed
            .message(&event)
            .to("orders.by-region")
            .with_headers(region);
        by_region.publish().await.map_err(again)?;
        // 3. The key of the policy the slot is mounted with.
        let ledger = keyed.message(&event).to("orders.ledger");
        ledger.publish().await.map_err(again)?;
        // 4. A key of its own for each record, which spreads them over the shards.
        let count = spread.message(&event).to("orders.count");
        count.publish().await.map_err(again)
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(subscriber(KinesisStream::new("orders"), Announce).build())
            .out(Keyed, Publish::default().partition_key("ledger"))
            .out(Spread, Publish::default())
            // Four deliveries; after that the order goes to a stream somebody looks at.
            .max_attempts(nonzero!(4))
            .dead_letter("orders.unannounced")
            .build();
    })
}

fn main() -> ExitCode {
    run_main(app)
}

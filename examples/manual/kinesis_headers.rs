//! Headers without macros: the message type names its contract, and the body extracts the other.
//!
//! `cargo run --example manual_kinesis_headers`

use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{PARTITION_KEY_HEADER, SEQUENCE_HEADER, SHARD_HEADER};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a stream that takes nothing is left alone.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
}

/// What a publisher of orders writes into their headers: one header a field.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Tenant {
    tenant: String,
}

/// A line of the audit log, which is not to be written without its tenant.
#[derive(Serialize, JsonSchema)]
struct Line {
    order: u64,
    read_from: String,
}

impl OutgoingDestination for Line {
    type Form = FixedName;

    const DESTINATION: &'static str = "orders.audit";
}

impl MessageHeaders for Line {
    type Contract = WithHeaders<Tenant>;
}

struct Audit;

impl OutSlot for Audit {
    const NAME: &'static str = "Audit";
    type Destination = Reads;
}

impl PublishedThrough<Audit> for Line {}

struct Receive;

impl<A> Handle<Order, (), Outs<(A,)>> for Receive
where
    A: OutEntry<Audit, Wire: Publisher>,
{
    async fn handle(
        &self,
        order: &Order,
        outs: &Outs<(A,)>,
        ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        // An order without a tenant is dropped here.
        let Headers(tenant) = Headers::<Tenant>::from_context(ctx).await?;
        // They say where the record is, whatever a publisher wrote under these names.
        let places = [SHARD_HEADER, SEQUENCE_HEADER, PARTITION_KEY_HEADER];
        let places = places.map(|name| ctx.headers().get_str(name).unwrap_or("-"));
        let line = Line {
            order: order.id,
            read_from: places.join(" "),
        };
        let audit = outs.get(Audit).message(&line).with_headers(&tenant);
        // A copy is handled in a moment. `retry()` without a cap would leave the order, and the
        // checkpoint of its shard with it, until the lease is next taken.
        audit
            .publish()
            .await
            .map_err(|_| HandlerOutcome::retry_after(PAUSE))
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(subscriber(KinesisStream::new("orders"), Receive).build())
            .out(Audit, Publish::default())
            // Four deliveries; after that the order goes to a stream somebody looks at.
            .max_attempts(nonzero!(4))
            .dead_letter("orders.unaudited")
            .build();
    })
}

fn main() -> ExitCode {
    run_main(app)
}

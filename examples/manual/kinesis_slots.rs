//! Slots without macros: a marker is an `OutSlot`, and the body bounds the entries of its `Outs`.
//!
//! `cargo run --example manual_kinesis_slots`

use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const LARGE: u64 = 100_000;

/// How long a stream that takes nothing is left alone.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
    cents: u64,
}

#[derive(Serialize, JsonSchema)]
struct Entry {
    order: u64,
}

impl OutgoingDestination for Entry {
    type Form = FixedName;

    const DESTINATION: &'static str = "orders.journal";
}

impl MessageHeaders for Entry {
    type Contract = NoHeaders;
}

#[derive(Serialize, JsonSchema)]
struct Alert {
    order: u64,
    cents: u64,
}

impl OutgoingDestination for Alert {
    type Form = FixedName;

    const DESTINATION: &'static str = "orders.alerts";
}

impl MessageHeaders for Alert {
    type Contract = NoHeaders;
}

struct Journal;

impl OutSlot for Journal {
    const NAME: &'static str = "Journal";
    type Destination = Reads;
}

/// What may leave through a slot; anything else does not compile.
impl PublishedThrough<Journal> for Entry {}

struct Alerts;

impl OutSlot for Alerts {
    const NAME: &'static str = "Alerts";
    type Destination = Reads;
}

impl PublishedThrough<Alerts> for Alert {}

/// The body names no broker, so it would run on another one as it is.
struct Book;

impl<J, A> Handle<Order, (), Outs<(J, A)>> for Book
where
    J: OutEntry<Journal, Wire: Publisher>,
    A: OutEntry<Alerts, Wire: Publisher>,
{
    async fn handle(
        &self,
        order: &Order,
        outs: &Outs<(J, A)>,
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        let Order { id: order, cents } = *order;
        let (journal, alerts) = (outs.get(Journal), outs.get(Alerts));
        // A copy is handled in a moment. `retry()` without a cap would leave the order, and the
        // checkpoint of its shard with it, until the lease is next taken.
        let again = HandlerOutcome::retry_after(PAUSE);
        if journal.message(&Entry { order }).publish().await.is_err() {
            return Err(again);
        }
        if cents >= LARGE
            && alerts
                .message(&Alert { order, cents })
                .publish()
                .await
                .is_err()
        {
            return Err(again);
        }
        Ok(())
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("books", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(subscriber("orders", Book).build())
            // The journal is one sequence, so it stays in one shard.
            .out(Journal, Publish::default().partition_key("journal"))
            .out(Alerts, Publish::default())
            // Four deliveries; after that the order goes to a stream somebody looks at.
            .max_attempts(nonzero!(4))
            .dead_letter("orders.unbooked")
            .build();
    })
}

fn main() -> ExitCode {
    run_main(app)
}

//! Every name the generated code uses means something else here.

#![allow(dead_code, non_camel_case_types, unused_imports)]

use ::ruststream_kinesis::prelude::{
    AppInfo, HandlerOutcome, KinesisBroker as Broker, Outgoing, RustStream,
};
use ::ruststream_kinesis::subscriber;

struct Result;
struct Option;
struct Some;
struct None;
struct Ok;
struct Err;
struct String;
struct Vec;
struct Clone;
struct Copy;
struct Into;
struct From;
struct Duration;
struct Declared;
struct NonZeroUsize;
struct usize;
struct records;
struct position;
struct size;
struct stream;

/// Types of a user who has the same words for other things.
struct KinesisStream;
struct KinesisPosition;
struct KinesisBroker;
struct Name;
struct StartAt;

mod core {}
mod std {}
mod ruststream {}
mod ruststream_kinesis {}

#[derive(::serde::Deserialize)]
struct Order {
    id: u64,
}

/// Documented, so that its definition is ours.
#[subscriber(
    stream = "orders",
    poll_interval = "2s",
    create_if_missing = 1,
    checkpoint_interval = "5s",
    memory_budget = 1_048_576,
    start_at = horizon
)]
async fn handle(order: &Order) -> HandlerOutcome {
    let _ = (
        order.id,
        Result,
        Option,
        Some,
        String,
        KinesisStream,
        Declared,
    );
    HandlerOutcome::ack()
}

const SIZE: ::core::primitive::usize = 500;

#[subscriber("jobs", batch = SIZE, start_at = start())]
async fn batch(orders: &[Order]) -> HandlerOutcome {
    let _ = orders.len();
    HandlerOutcome::ack()
}

fn start() -> ::ruststream_kinesis::KinesisPosition {
    ::ruststream_kinesis::KinesisPosition::latest()
}

fn main() {
    let _ = RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(Broker::new(), |b| {
        b.include(handle);
        b.include(batch);
    });
}

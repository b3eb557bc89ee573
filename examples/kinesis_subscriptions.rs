//! The ways to name the stream a handler reads, and to say how it is read.
//!
//! `cargo run --example kinesis_subscriptions`. In an account it creates the stream `returns`,
//! which costs money until it is deleted, and needs an ARN of a stream you may read.

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Event {
    id: u64,
}

/// A literal reads with the defaults.
#[subscriber("orders")]
async fn ordered(event: &Event) -> HandlerOutcome {
    println!("order {} is in", event.id);
    HandlerOutcome::ack()
}

/// A descriptor carries every setting of reading its stream.
#[subscriber(KinesisStream::new("payments").poll_interval(Duration::from_millis(250)))]
async fn paid(event: &Event) -> HandlerOutcome {
    println!("order {} is paid", event.id);
    HandlerOutcome::ack()
}

/// The keys are the same settings; what is written as a literal is checked by the compiler.
#[subscriber(stream = "shipments", poll_interval = "250ms", workers(4, by_key))]
async fn shipped(event: &Event) -> HandlerOutcome {
    println!("order {} is shipped", event.id);
    HandlerOutcome::ack()
}

/// For local stacks and tests: without it, a stream that is not there fails the start.
#[subscriber(stream = "returns", create_if_missing = 2)]
async fn returned(event: &Event) -> HandlerOutcome {
    println!("order {} came back", event.id);
    HandlerOutcome::ack()
}

/// A stream of another account is named by its ARN, as every instance of the service has to then.
#[subscriber(KinesisStream::new("arn:aws:kinesis:eu-west-1:123456789012:stream/refunds"))]
async fn refunded(event: &Event) -> HandlerOutcome {
    println!("order {} is refunded", event.id);
    HandlerOutcome::ack()
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(ordered);
        b.include(paid);
        // The settings are steps of the mount site as well.
        b.include(shipped.memory_budget(64 * 1024 * 1024));
        b.include(returned);
        b.include(refunded);
    })
}

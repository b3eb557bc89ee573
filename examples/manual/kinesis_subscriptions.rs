//! The ways to name the stream a handler reads, without macros: each is a first argument of
//! `subscriber(source, handler)`.
//!
//! `cargo run --example manual_kinesis_subscriptions`. In an account it creates the stream `returns`,
//! which costs money until it is deleted, and needs an ARN of a stream you may read.

use std::future::ready;
use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

const OFTEN: Duration = Duration::from_millis(250);
const REFUNDS: &str = "arn:aws:kinesis:eu-west-1:123456789012:stream/refunds";

#[derive(Deserialize, JsonSchema)]
struct Event {
    id: u64,
}

/// One body for five streams: what a handler does and what it reads are named apart.
struct Tell(&'static str);

impl Handle<Event> for Tell {
    fn handle(
        &self,
        event: &Event,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("order {} {}", event.id, self.0);
        ready(Ok(()))
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // A literal reads with the defaults.
        b.include(subscriber("orders", Tell("is in")).build());
        // A descriptor carries every setting of reading its stream.
        let payments = KinesisStream::new("payments").poll_interval(OFTEN);
        b.include(subscriber(payments, Tell("is paid")).build());
        // The settings are steps of the mount site as well.
        b.include(
            subscriber(KinesisStream::new("shipments"), Tell("is shipped"))
                .poll_interval(OFTEN)
                .memory_budget(64 * 1024 * 1024)
                .workers_by_key(nonzero!(4))
                .build(),
        );
        // For local stacks and tests: without it, a stream that is not there fails the start.
        let returns = KinesisStream::new("returns").create_if_missing(2);
        b.include(subscriber(returns, Tell("came back")).build());
        // A stream of another account is named by its ARN, as every instance has to then.
        b.include(subscriber(KinesisStream::new(REFUNDS), Tell("is refunded")).build());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

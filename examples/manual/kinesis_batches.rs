//! Batches without macros: the body is a `Handle` of a slice, and `Err` carries one outcome for
//! each record.
//!
//! `cargo run --example manual_kinesis_batches`

use std::future::ready;
use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

const LOOK_AGAIN: Duration = Duration::from_secs(30);

#[derive(Deserialize, JsonSchema)]
struct Reading {
    sensor: String,
    celsius: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Payment {
    id: u64,
    cleared: bool,
}

/// `Ok` acknowledges all of them: the readings are stored in one statement, or none of them is.
struct Store;

impl Handle<[Reading]> for Store {
    fn handle(
        &self,
        readings: &[Reading],
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), Vec<HandlerOutcome>>> {
        for reading in readings {
            println!("{} has {} degrees", reading.sensor, reading.celsius);
        }
        ready(Ok(()))
    }
}

/// One outcome for each of them, in their order: only what has not cleared comes back.
struct Reconcile;

impl Handle<[Payment]> for Reconcile {
    fn handle(
        &self,
        payments: &[Payment],
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), Vec<HandlerOutcome>>> {
        println!(
            "reconciling up to payment {:?}",
            payments.last().map(|last| last.id)
        );
        let outcomes = payments.iter().map(|payment| {
            if payment.cleared {
                HandlerOutcome::ack()
            } else {
                HandlerOutcome::retry_after(LOOK_AGAIN)
            }
        });
        ready(Err(outcomes.collect()))
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("ledger", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // The size is also what each read asks for.
        b.include(subscriber("readings", Store).batch(nonzero!(100)).build());
        b.include(subscriber("payments", Reconcile).batch(nonzero!(3)).build());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

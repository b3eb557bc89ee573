//! Batches: how many records one call takes, and one outcome for all of them or one for each.
//!
//! `cargo run --example kinesis_batches`

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

const LOOK_AGAIN: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct Reading {
    sensor: String,
    celsius: f64,
}

#[derive(Deserialize)]
struct Payment {
    id: u64,
    cleared: bool,
}

/// One outcome for all of them: the readings are stored in one statement, or none of them is.
#[subscriber("readings", batch = 100)]
async fn store(readings: &[Reading]) -> HandlerOutcome {
    for reading in readings {
        println!("{} has {} degrees", reading.sensor, reading.celsius);
    }
    HandlerOutcome::ack()
}

/// One outcome for each of them, in their order: only what has not cleared comes back.
#[subscriber("payments")]
async fn reconcile(payments: &[Payment]) -> Vec<HandlerOutcome> {
    println!(
        "reconciling up to payment {:?}",
        payments.last().map(|last| last.id)
    );
    payments
        .iter()
        .map(|payment| {
            if payment.cleared {
                HandlerOutcome::ack()
            } else {
                HandlerOutcome::retry_after(LOOK_AGAIN)
            }
        })
        .collect()
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("ledger", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(store);
        // The size is also what each read asks for. Where the attribute names none, it is due here.
        b.include(reconcile.batch(nonzero!(3)));
    })
}

//! What the broker knows of a batch: the seeker in its context, and the place of each record in the
//! headers.
//!
//! `cargo run --example kinesis_batch_context`

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;
use tokio::time::sleep;

/// What a failover takes. It is all that slows the replay down; the replay ends when the archive
/// takes the readings, with the stream's retention, or with the service.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Reading {
    celsius: f64,
}

/// Two of the headers that every delivery carries. A batch has no position: its records have.
#[derive(Deserialize)]
struct Place {
    #[serde(rename = "kinesis-shard-id")]
    shard: String,
    #[serde(rename = "kinesis-sequence-number")]
    sequence: String,
}

/// Stands for a database that is failing over: it refuses the first batch.
#[derive(Default)]
struct Archive(AtomicBool);

impl Archive {
    fn store(&self, readings: &[Message<Place, Reading>]) -> bool {
        let sum: f64 = readings.iter().map(|reading| reading.body.celsius).sum();
        println!("{} readings, {sum} degrees in all", readings.len());
        self.0.swap(true, Ordering::Relaxed)
    }
}

/// `retry()` would bring the readings back with the next lease. Going back to them does in a moment.
#[subscriber(stream = "readings", batch = 100)]
async fn archive(
    readings: &[Message<Place, Reading>],
    ctx: &mut Context<'_, KinesisBatchContext, Archive>,
) -> HandlerOutcome {
    if ctx.state().store(readings) {
        return HandlerOutcome::ack();
    }
    // No other batch is handled meanwhile, as none would be stored either.
    sleep(PAUSE).await;
    // A batch mixes the shards, and a record's position moves its own shard only.
    let places = readings.iter().rev().map(|reading| &reading.headers);
    let firsts: BTreeMap<_, _> = places
        .map(|place| (&place.shard, &place.sequence))
        .collect();
    for (shard, sequence) in firsts {
        let first = KinesisPosition::sequence(shard, sequence);
        if ctx.context(SeekHandle).seek(first).await.is_err() {
            return HandlerOutcome::retry();
        }
    }
    // The subscription forgot this delivery when it moved, so acknowledging it stores nothing.
    HandlerOutcome::ack()
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("archive", "0.1.0"))
        .on_startup(async |()| Ok::<_, Infallible>(Archive::default()))
        .with_broker(KinesisBroker::new(), |b| {
            b.include(archive);
        })
}

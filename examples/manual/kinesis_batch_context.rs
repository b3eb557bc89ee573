//! What the broker knows of a batch, without macros: the body is a `Handle` of a slice of messages
//! with their headers.
//!
//! `cargo run --example manual_kinesis_batch_context`

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

/// What a failover takes. It is all that slows the replay down; the replay ends when the archive
/// takes the readings, with the stream's retention, or with the service.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize, JsonSchema)]
struct Reading {
    celsius: f64,
}

/// Two of the headers that every delivery carries. A batch has no position: its records have.
#[derive(Deserialize, JsonSchema)]
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

struct Store;

/// `retry()` would bring the readings back with the next lease. Going back to them does in a moment.
impl Handle<[Message<Place, Reading>], (), (), KinesisBatchContext, Archive> for Store {
    async fn handle(
        &self,
        readings: &[Message<Place, Reading>],
        _outs: &(),
        ctx: &mut Context<'_, KinesisBatchContext, Archive>,
    ) -> Result<(), Vec<HandlerOutcome>> {
        if ctx.state().store(readings) {
            return Ok(());
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
                return Err(readings.iter().map(|_| HandlerOutcome::retry()).collect());
            }
        }
        // The subscription forgot this delivery when it moved, so acknowledging it stores nothing.
        Ok(())
    }
}

pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("archive", "0.1.0"))
        .on_startup(async |()| Ok::<_, Infallible>(Archive::default()))
        .with_broker(KinesisBroker::new(), |b| {
            b.include(
                subscriber(KinesisStream::new("readings"), Store)
                    .batch(nonzero!(100))
                    .build(),
            );
        })
}

fn main() -> ExitCode {
    run_main(app)
}

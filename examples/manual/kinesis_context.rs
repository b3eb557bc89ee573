//! The broker's context without macros: the fourth parameter of `Handle` names it, and its keys
//! read it.
//!
//! `cargo run --example manual_kinesis_context`

use std::future::ready;
use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A gauge that was read longer ago than that shows what was.
const FRESH_FOR: Duration = Duration::from_mins(1);

#[derive(Deserialize, JsonSchema)]
struct Row {
    id: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Reading {
    gauge: String,
    value: f64,
    /// In seconds since the Unix epoch.
    read_at: u64,
}

impl Reading {
    fn is_stale(&self) -> bool {
        let read_at = UNIX_EPOCH + Duration::from_secs(self.read_at);
        read_at.elapsed().is_ok_and(|age| age > FRESH_FOR)
    }
}

/// Where a row was found, for who has to look at it.
#[derive(Serialize, JsonSchema)]
struct Found {
    row: u64,
    shard: Option<String>,
    sequence: Option<String>,
}

impl OutgoingDestination for Found {
    type Form = FixedName;

    const DESTINATION: &'static str = "rows.found";
}

impl MessageHeaders for Found {
    type Contract = NoHeaders;
}

struct Locate;

impl Handle<Row, Found, (), KinesisContext> for Locate {
    fn handle(
        &self,
        row: &Row,
        _outs: &(),
        ctx: &mut Context<'_, KinesisContext>,
    ) -> impl Future<Output = Result<Found, HandlerOutcome>> {
        let position = ctx.context(Position);
        ready(Ok(Found {
            row: row.id,
            shard: position.shard().map(str::to_owned),
            sequence: position.sequence_number().map(str::to_owned),
        }))
    }
}

/// A dashboard shows what is, so a backlog is of no use to it: it notes where it fell behind, and
/// goes to the tip of every shard.
struct Show;

impl Handle<Reading, (), (), KinesisContext> for Show {
    async fn handle(
        &self,
        reading: &Reading,
        _outs: &(),
        ctx: &mut Context<'_, KinesisContext>,
    ) -> Result<(), HandlerOutcome> {
        if !reading.is_stale() {
            println!("{} stands at {}", reading.gauge, reading.value);
            return Ok(());
        }
        println!("fell behind at {:?}", ctx.context(Position));
        let moved = ctx
            .context(SeekHandle)
            .seek(KinesisPosition::latest())
            .await;
        // Where it fails the backlog is read on; this reading is worthless all the same.
        moved.map_err(|_| HandlerOutcome::drop())
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("plant", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(
            subscriber(KinesisStream::new("rows"), Locate)
                .reply()
                .build(),
        );
        b.include(subscriber(KinesisStream::new("gauges"), Show).build());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

//! Where a subscription opens, without macros: `start_at(..)` is a step of the mount site.
//!
//! `cargo run --example manual_kinesis_start_at -- run`

use std::future::ready;
use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

const AN_HOUR: Duration = Duration::from_hours(1);

#[derive(Deserialize, JsonSchema)]
struct Entry {
    id: u64,
}

struct Tell(&'static str);

impl Handle<Entry> for Tell {
    fn handle(
        &self,
        entry: &Entry,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("{} {}", self.0, entry.id);
        ready(Ok(()))
    }
}

/// `since` is in milliseconds since the Unix epoch.
pub(crate) fn service(since: u64, incident: KinesisPosition) -> RustStream {
    RustStream::new(AppInfo::new("replays", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // Reads everything the stream retains, at every start: the position goes before the
        // checkpoint.
        b.include(
            subscriber("bookings", Tell("booking"))
                .start_at(KinesisPosition::horizon())
                .build(),
        );
        b.include(
            subscriber("clicks", Tell("click"))
                .start_at(KinesisPosition::timestamp(since))
                .build(),
        );
        // One shard opens at this record, the others where they would without it. The start fails
        // where the shard has no such record, or where another instance reads it.
        b.include(
            subscriber("payments", Tell("payment"))
                .start_at(incident)
                .build(),
        );
    })
}

pub(crate) fn app() -> RustStream {
    let an_hour_ago = UNIX_EPOCH
        .elapsed()
        .unwrap_or_default()
        .saturating_sub(AN_HOUR);
    let since = u64::try_from(an_hour_ago.as_millis()).unwrap_or(u64::MAX);
    // A log line of the incident named both: a handler learns them from the key `Position`.
    let sequence = "49680703061811541063696485435289739379988392961053294642";
    service(
        since,
        KinesisPosition::sequence("shardId-000000000003", sequence),
    )
}

fn main() -> ExitCode {
    run_main(app)
}

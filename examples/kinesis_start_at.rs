//! Where a subscription opens: at the horizon, at a time, at one record.
//!
//! `cargo run --example kinesis_start_at -- run`

use std::time::{Duration, UNIX_EPOCH};

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

const AN_HOUR: Duration = Duration::from_hours(1);

#[derive(Deserialize)]
struct Entry {
    id: u64,
}

/// Reads everything the stream retains, at every start: the position goes before the checkpoint.
#[subscriber(stream = "bookings", start_at = horizon)]
async fn add_up(entry: &Entry) -> HandlerOutcome {
    println!("booking {} counts", entry.id);
    HandlerOutcome::ack()
}

#[subscriber("clicks")]
async fn warm_up(entry: &Entry) -> HandlerOutcome {
    println!("click {} is recent", entry.id);
    HandlerOutcome::ack()
}

#[subscriber("payments")]
async fn repeat(entry: &Entry) -> HandlerOutcome {
    println!("payment {} is booked again", entry.id);
    HandlerOutcome::ack()
}

/// `since` is in milliseconds since the Unix epoch.
pub(crate) fn service(since: u64, incident: KinesisPosition) -> RustStream {
    RustStream::new(AppInfo::new("replays", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(add_up);
        // A position that is known only now is a step of the mount site.
        b.include(warm_up.start_at(KinesisPosition::timestamp(since)));
        // One shard opens at this record, the others where they would without it. The start fails
        // where the shard has no such record, or where another instance reads it.
        b.include(repeat.start_at(incident));
    })
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    let an_hour_ago = UNIX_EPOCH
        .elapsed()
        .unwrap_or_default()
        .saturating_sub(AN_HOUR);
    let since = u64::try_from(an_hour_ago.as_millis()).unwrap_or(u64::MAX);
    // A log line of the incident named both: a handler learns them from `Ctx<Position>`.
    let sequence = "49680703061811541063696485435289739379988392961053294642";
    service(
        since,
        KinesisPosition::sequence("shardId-000000000003", sequence),
    )
}

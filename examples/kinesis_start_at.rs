//! Where a subscription opens: at the horizon, at a time, at one record.
//!
//! `cargo run --example kinesis_start_at`, with the streams `bookings` and `clicks`. A shard and a
//! sequence number, `-- shardId-000000000001 4968..`, read `payments` from that record on; `local`
//! prints both of each record it writes.

use std::env;
use std::error::Error;
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
pub(crate) fn service(since: u64, incident: Option<KinesisPosition>) -> RustStream {
    RustStream::new(AppInfo::new("replays", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(add_up);
        // A position that is known only now is a step of the mount site.
        b.include(warm_up.start_at(KinesisPosition::timestamp(since)));
        // One shard opens at this record, the others where they would without it. The start fails
        // where the shard has no such record, or where another instance reads it.
        if let Some(incident) = incident {
            b.include(repeat.start_at(incident));
        }
    })
}

/// What the incident's log line named: a handler learns both from `Ctx<Position>`.
pub(crate) fn incident(arguments: &[String]) -> Result<Option<KinesisPosition>, String> {
    match arguments {
        [] => Ok(None),
        [shard, sequence] => Ok(Some(KinesisPosition::sequence(shard, sequence))),
        _ => Err("name a shard and a sequence number, or neither".to_owned()),
    }
}

/// In milliseconds since the Unix epoch.
fn an_hour_ago() -> u64 {
    let then = UNIX_EPOCH
        .elapsed()
        .unwrap_or_default()
        .saturating_sub(AN_HOUR);
    u64::try_from(then.as_millis()).unwrap_or(u64::MAX)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let incident = incident(&arguments)?;
    service(an_hour_ago(), incident).run().await?;
    Ok(())
}

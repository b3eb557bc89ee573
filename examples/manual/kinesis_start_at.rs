//! Where a subscription opens, without macros: `start_at(..)` is a step of the mount site.
//!
//! `cargo run --example manual_kinesis_start_at`, with the streams `bookings` and `clicks`. A shard and a
//! sequence number, `-- shardId-000000000001 4968..`, read `payments` from that record on; `local`
//! prints both of each record it writes.

use std::env;
use std::error::Error;
use std::future::ready;
use std::time::{Duration, UNIX_EPOCH};

use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime::Runtime;

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
pub(crate) fn service(since: u64, incident: Option<KinesisPosition>) -> RustStream {
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
        if let Some(incident) = incident {
            b.include(
                subscriber("payments", Tell("payment"))
                    .start_at(incident)
                    .build(),
            );
        }
    })
}

/// What the incident's log line named: a handler learns both from the key `Position`.
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

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let incident = incident(&arguments)?;
    Runtime::new()?.block_on(service(an_hour_ago(), incident).run())?;
    Ok(())
}

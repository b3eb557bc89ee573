//! What the broker knows of a delivery beside its payload: the record's position and the seeker.
//!
//! `cargo run --example kinesis_context`

use std::time::{Duration, UNIX_EPOCH};

use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

/// A gauge that was read longer ago than that shows what was.
const FRESH_FOR: Duration = Duration::from_mins(1);

#[derive(Deserialize)]
struct Row {
    id: u64,
}

#[derive(Deserialize)]
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
#[derive(Serialize, Outgoing)]
#[outgoing(name = "rows.found")]
struct Found {
    row: u64,
    shard: Option<String>,
    sequence: Option<String>,
}

/// One key is a parameter.
#[subscriber(KinesisStream::new("rows"), reply)]
async fn locate(row: &Row, Ctx(position): Ctx<Position>) -> Found {
    Found {
        row: row.id,
        shard: position.shard().map(str::to_owned),
        sequence: position.sequence_number().map(str::to_owned),
    }
}

/// Who wants both names the context they are in. A dashboard shows what is, so a backlog is of no
/// use to it: it notes where it fell behind, and goes to the tip of every shard.
#[subscriber(KinesisStream::new("gauges"))]
async fn show(reading: &Reading, ctx: &mut Context<'_, KinesisContext>) -> HandlerOutcome {
    if !reading.is_stale() {
        println!("{} stands at {}", reading.gauge, reading.value);
        return HandlerOutcome::ack();
    }
    println!("fell behind at {:?}", ctx.context(Position));
    match ctx
        .context(SeekHandle)
        .seek(KinesisPosition::latest())
        .await
    {
        Ok(()) => HandlerOutcome::ack(),
        // The backlog is read on; this reading is worthless all the same.
        Err(_) => HandlerOutcome::drop(),
    }
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("plant", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(locate);
        b.include(show);
    })
}

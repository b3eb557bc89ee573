//! What the broker knows of a delivery beside its payload: the record's position and the seeker.
//!
//! `cargo run --example kinesis_context -- run`

use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Row {
    id: u64,
    sound: bool,
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

/// Who wants both names the context they are in. A file is imported up to its first broken row.
#[subscriber(KinesisStream::new("imports"))]
async fn import(row: &Row, ctx: &mut Context<'_, KinesisContext>) -> HandlerOutcome {
    if row.sound {
        return HandlerOutcome::ack();
    }
    println!("row {} is broken, at {:?}", row.id, ctx.context(Position));
    match ctx
        .context(SeekHandle)
        .seek(KinesisPosition::latest())
        .await
    {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::drop(),
    }
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("imports", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(locate);
        b.include(import);
    })
}

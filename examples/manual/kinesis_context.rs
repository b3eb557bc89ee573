//! The broker's context without macros: the fourth parameter of `Handle` names it, and its keys
//! read it.
//!
//! `cargo run --example manual_kinesis_context -- run`

use std::future::ready;
use std::process::ExitCode;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Row {
    id: u64,
    sound: bool,
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

/// A file is imported up to its first broken row.
struct Import;

impl Handle<Row, (), (), KinesisContext> for Import {
    async fn handle(
        &self,
        row: &Row,
        _outs: &(),
        ctx: &mut Context<'_, KinesisContext>,
    ) -> Result<(), HandlerOutcome> {
        if row.sound {
            return Ok(());
        }
        println!("row {} is broken, at {:?}", row.id, ctx.context(Position));
        let moved = ctx
            .context(SeekHandle)
            .seek(KinesisPosition::latest())
            .await;
        moved.map_err(|_| HandlerOutcome::drop())
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("imports", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(
            subscriber(KinesisStream::new("rows"), Locate)
                .reply()
                .build(),
        );
        b.include(subscriber(KinesisStream::new("imports"), Import).build());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

//! Replies without macros: the second parameter of `Handle`, and `reply()` where it is mounted.
//!
//! `cargo run --example manual_kinesis_replies`

use std::future::ready;
use std::process::ExitCode;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
    pieces: u64,
}

#[derive(Serialize, JsonSchema)]
struct Receipt {
    order: u64,
}

/// A receipt always goes to this stream, so the type names it.
impl OutgoingDestination for Receipt {
    type Form = FixedName;

    const DESTINATION: &'static str = "receipts";
}

impl MessageHeaders for Receipt {
    type Contract = NoHeaders;
}

#[derive(Serialize, JsonSchema)]
struct Quote {
    order: u64,
    cents: u64,
}

impl OutgoingDestination for Quote {
    type Form = CallerName;
}

impl MessageHeaders for Quote {
    type Contract = NoHeaders;
}

/// Either a receipt, or an outcome and no receipt.
struct Confirm;

impl Handle<Order, Receipt> for Confirm {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<Receipt, HandlerOutcome>> {
        if order.pieces == 0 {
            return ready(Err(HandlerOutcome::drop()));
        }
        ready(Ok(Receipt { order: order.id }))
    }
}

struct Price;

impl Handle<Order, Quote> for Price {
    fn handle(
        &self,
        enquiry: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<Quote, HandlerOutcome>> {
        ready(Ok(Quote {
            order: enquiry.id,
            cents: enquiry.pieces * 250,
        }))
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("billing", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // A reply has no call to put a key on, so the policy names it. One key is one shard: the
        // receipts keep their order, at the throughput of one shard.
        b.include(
            subscriber(KinesisStream::new("orders"), Confirm)
                .reply()
                .build(),
        )
        .out_reply(Publish::default())
        .partition_key("receipts-v1");
        // A type that names no stream is sent where the mount site says. Without a policy the quotes
        // are spread.
        let quotes = subscriber(KinesisStream::new("enquiries"), Price)
            .reply()
            .to("quotes");
        b.include(quotes.build());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

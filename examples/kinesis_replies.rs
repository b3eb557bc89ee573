//! Replies: what a handler returns is written to a stream, and then its record is acknowledged.
//!
//! `cargo run --example kinesis_replies`

use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Order {
    id: u64,
    pieces: u64,
}

/// A receipt always goes to this stream, so the type names it.
#[derive(Serialize, Outgoing)]
#[outgoing(name = "receipts")]
struct Receipt {
    order: u64,
}

#[derive(Serialize, Outgoing)]
struct Quote {
    order: u64,
    cents: u64,
}

/// Either a receipt, or an outcome and no receipt.
#[subscriber(KinesisStream::new("orders"), reply)]
async fn confirm(order: &Order) -> Result<Receipt, HandlerOutcome> {
    if order.pieces == 0 {
        return Err(HandlerOutcome::drop());
    }
    Ok(Receipt { order: order.id })
}

/// A type that names no stream is sent where the handler says.
#[subscriber(KinesisStream::new("enquiries"), reply("quotes"))]
async fn quote(enquiry: &Order) -> Quote {
    Quote {
        order: enquiry.id,
        cents: enquiry.pieces * 250,
    }
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("billing", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        // A reply has no call to put a key on, so the policy names it. One key is one shard: the
        // receipts keep their order, at the throughput of one shard.
        b.include(confirm)
            .out_reply(Publish::default())
            .partition_key("receipts-v1");
        // Without a policy the quotes are spread.
        b.include(quote);
    })
}

//! A local stack instead of an account: three settings of the broker.
//!
//! `cargo run --example kinesis_broker_endpoint`, against a stack at `http://127.0.0.1:4566`, which
//! `just brokers-up` starts, or at what `KINESIS_ENDPOINT` names.

use std::env;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

// A stack starts empty. In an account the stream is infrastructure, and a name that is not there
// fails the start, which shows a typing error.
#[subscriber(stream = "orders", create_if_missing = 1)]
async fn handle(order: &Order) -> HandlerOutcome {
    println!("got order {}", order.id);
    HandlerOutcome::ack()
}

pub(crate) fn service(endpoint: &str) -> RustStream {
    let broker = KinesisBroker::new()
        .endpoint(endpoint)
        // A stack looks at neither, but no call is signed without them.
        .region("us-east-1")
        .test_credentials();
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(handle);
    })
}

#[ruststream::app]
pub(crate) fn app() -> RustStream {
    let endpoint = env::var("KINESIS_ENDPOINT");
    service(endpoint.as_deref().unwrap_or("http://127.0.0.1:4566"))
}

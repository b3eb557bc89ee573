//! `kinesis_broker_endpoint` without macros: a local stack instead of an account.
//!
//! `cargo run --example manual_kinesis_broker_endpoint`, against a stack at
//! `http://127.0.0.1:4566`, which `just brokers-up` starts, or at what `KINESIS_ENDPOINT` names.

use std::env;
use std::future::ready;
use std::process::ExitCode;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
}

struct HandleOrder;

impl Handle<Order> for HandleOrder {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("got order {}", order.id);
        ready(Ok(()))
    }
}

pub(crate) fn service(endpoint: &str) -> RustStream {
    let broker = KinesisBroker::new()
        .endpoint(endpoint)
        // A stack looks at neither, but no call is signed without them.
        .region("us-east-1")
        .test_credentials();
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        // A stack starts empty. In an account the stream is infrastructure, and a name that is not
        // there fails the start, which shows a typing error.
        let orders = KinesisStream::new("orders").create_if_missing(1);
        b.include(subscriber(orders, HandleOrder).build());
    })
}

pub(crate) fn app() -> RustStream {
    let endpoint = env::var("KINESIS_ENDPOINT");
    service(endpoint.as_deref().unwrap_or("http://127.0.0.1:4566"))
}

fn main() -> ExitCode {
    run_main(app)
}

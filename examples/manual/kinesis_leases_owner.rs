//! `kinesis_leases_owner` without macros: names an instance in the lease store.
//!
//! `INSTANCE=orders-7 cargo run --example manual_kinesis_leases_owner`, with the region and the
//! credentials of the environment. The stream `orders` has to be there.

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

// The store sees the name with a slash and a number drawn at connect behind it: a process that
// was started again under its name does not take the leases of the one before it for its own.
pub(crate) fn service(broker: KinesisBroker, instance: Option<String>) -> RustStream {
    // Where nothing names the instance, the broker takes the host's name. A name is for hosts that
    // run several.
    let broker = match instance {
        Some(instance) => broker.owner_id(instance),
        None => broker,
    };
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(subscriber(KinesisStream::new("orders"), HandleOrder).build());
    })
}

pub(crate) fn app() -> RustStream {
    service(KinesisBroker::new(), env::var("INSTANCE").ok())
}

fn main() -> ExitCode {
    run_main(app)
}

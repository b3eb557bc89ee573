//! Names an instance in the lease store, so that a look at it tells who reads what.
//!
//! `INSTANCE=orders-7 cargo run --example kinesis_leases_owner`, with the region and the
//! credentials of the environment. The stream `orders` has to be there.

use std::env;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber(KinesisStream::new("orders"))]
async fn handle(order: &Order) -> HandlerOutcome {
    println!("got order {}", order.id);
    HandlerOutcome::ack()
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
        b.include(handle);
    })
}

#[ruststream::app]
pub(crate) fn app() -> RustStream {
    service(KinesisBroker::new(), env::var("INSTANCE").ok())
}

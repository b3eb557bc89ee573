//! Credentials of the service's own choice: the broker takes an AWS configuration built elsewhere.
//!
//! `cargo run --example kinesis_broker_credentials`, with a profile `orders` in the shared AWS files
//! and a stream `orders` in its account.

use aws_config::{BehaviorVersion, ConfigLoader, SdkConfig};
use ruststream::runtime::RustStreamError;
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

/// The default chain with a profile of its own name. `.region(..)`, `.credentials_provider(..)`
/// and the rest of the SDK's settings go here as well.
fn settings() -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest()).profile_name("orders")
}

pub(crate) fn service(config: SdkConfig) -> RustStream {
    let broker = KinesisBroker::from_config(config);
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(handle);
    })
}

// The chain is asynchronous, so the app is built inside a runtime of the program's own.
#[tokio::main]
async fn main() -> Result<(), RustStreamError> {
    let config = settings().load().await;
    service(config).run().await
}

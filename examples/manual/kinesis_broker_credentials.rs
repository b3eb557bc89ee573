//! `kinesis_broker_credentials` without macros: the broker takes an AWS configuration.
//!
//! `cargo run --example manual_kinesis_broker_credentials`, with a profile `orders` in the shared
//! AWS files and a stream `orders` in its account.

use std::error::Error;
use std::future::ready;

use aws_config::{BehaviorVersion, ConfigLoader, SdkConfig};
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime::Runtime;

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

/// The default chain with a profile of its own name. `.region(..)`, `.credentials_provider(..)`
/// and the rest of the SDK's settings go here as well.
fn settings() -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest()).profile_name("orders")
}

pub(crate) fn service(config: SdkConfig) -> RustStream {
    let broker = KinesisBroker::from_config(config);
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(subscriber(KinesisStream::new("orders"), HandleOrder).build());
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    Runtime::new()?.block_on(async {
        let config = settings().load().await;
        service(config).run().await?;
        Ok(())
    })
}

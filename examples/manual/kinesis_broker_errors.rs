//! `kinesis_broker_errors` without macros: what stops a service from starting.
//!
//! `cargo run --example manual_kinesis_broker_errors` in an environment without a region, or in one
//! where there is no stream `orders`: both end with what is wrong and what to do about it.

use std::error::Error;
use std::future::ready;
use std::process::ExitCode;

use ruststream::runtime::RustStreamError;
use ruststream_kinesis::KinesisError;
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

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(subscriber(KinesisStream::new("orders"), HandleOrder).build());
    })
}

/// The framework says which step failed, and its source is the broker's own error.
pub(crate) fn advice(failure: &RustStreamError) -> Option<String> {
    match failure.source()?.downcast_ref()? {
        KinesisError::Config(_) => Some("the deployment has to name a region".to_owned()),
        missing @ KinesisError::Stream { stream, .. } if missing.is_not_found() => {
            Some(format!("create '{stream}', or look in another region"))
        }
        KinesisError::Stream { .. } => {
            Some("check the endpoint, the credentials and their policy".to_owned())
        }
        KinesisError::Invalid(_) | KinesisError::AlreadySubscribed { .. } => {
            Some("no environment helps, the program has to change".to_owned())
        }
        _ => None,
    }
}

fn main() -> ExitCode {
    let runtime = Runtime::new().expect("the system has threads to give");
    let Err(failure) = runtime.block_on(service(KinesisBroker::new()).run()) else {
        return ExitCode::SUCCESS;
    };
    // The text holds the whole chain of causes, the service's answer among them.
    eprintln!("error: {failure}");
    if let Some(advice) = advice(&failure) {
        eprintln!("advice: {advice}");
    }
    ExitCode::FAILURE
}

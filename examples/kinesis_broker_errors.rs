//! What stops a service from starting, and how a program tells the causes apart.
//!
//! `cargo run --example kinesis_broker_errors` in an environment without a region, or in one where
//! there is no stream `orders`: both end with what is wrong and what to do about it.

use std::error::Error;
use std::process::ExitCode;

use ruststream::runtime::RustStreamError;
use ruststream_kinesis::KinesisError;
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

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(handle);
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

#[tokio::main]
async fn main() -> ExitCode {
    let Err(failure) = service(KinesisBroker::new()).run().await else {
        return ExitCode::SUCCESS;
    };
    // The text holds the whole chain of causes, the service's answer among them.
    eprintln!("error: {failure}");
    if let Some(advice) = advice(&failure) {
        eprintln!("advice: {advice}");
    }
    ExitCode::FAILURE
}

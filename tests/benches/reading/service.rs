//! The one-line service, with the memory store.

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use tokio::time::timeout;

use crate::client::{self, OPEN, REGION, WAITING};
use crate::gauge::Gauge;
use crate::order::Order;
use crate::tally::READ;
use crate::{Outcome, runtime};

/// A service does not end where its server is gone.
const AT_MOST: Duration = Duration::from_mins(1);

#[subscriber(KinesisStream::new("bench"), start_at(KinesisPosition::horizon()))]
async fn handle(order: &Order) -> HandlerOutcome {
    READ.count(order);
    HandlerOutcome::ack()
}

/// Reads every order and prints what that took.
pub(crate) fn read(endpoint: &str) -> Outcome<()> {
    let broker = KinesisBroker::new()
        .endpoint(endpoint)
        .region(REGION)
        .test_credentials();
    runtime()?.block_on(async {
        let app = RustStream::new(AppInfo::new("bench", "0.0.0")).with_broker(broker, |b| {
            b.include(handle);
        });
        let running = app.start().await?;
        client::control(endpoint, WAITING).await?;
        let gauge = Gauge::start();
        client::control(endpoint, OPEN).await?;
        timeout(AT_MOST, READ.complete()).await?;
        let spent = gauge.stop();
        running.shutdown().await?;
        READ.check()?;
        println!("{spent}");
        Ok(())
    })
}

//! A replay of more than a budget holds, under handlers that sleep.

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use tokio::time::sleep;

use crate::client::REGION;
use crate::order::Order;
use crate::{Outcome, gauge, runtime};

/// What the subscription may hold. A constant of its own, since the default may change.
pub(crate) const BUDGET: usize = 256 * 1024 * 1024;

/// How long the replay is watched. What an allocator keeps grows for longer than the budget takes to
/// fill.
const WATCHED: Duration = Duration::from_mins(1);

/// How long the handler sleeps for each mebibyte of a record.
const PAUSE_PER_MEBIBYTE: Duration = Duration::from_millis(40);

#[subscriber(
    KinesisStream::new("bench").memory_budget(BUDGET),
    start_at(KinesisPosition::horizon())
)]
async fn sleep_over(order: &Order) -> HandlerOutcome {
    sleep(PAUSE_PER_MEBIBYTE * u32::try_from(order.size()).unwrap_or(u32::MAX) / (1024 * 1024))
        .await;
    HandlerOutcome::ack()
}

/// Replays for a while and prints the peak memory.
pub(crate) fn read(endpoint: &str) -> Outcome<()> {
    let broker = KinesisBroker::new()
        .endpoint(endpoint)
        .region(REGION)
        .test_credentials();
    runtime()?.block_on(async {
        let app = RustStream::new(AppInfo::new("replay", "0.0.0")).with_broker(broker, |b| {
            b.include(sleep_over);
        });
        let running = app.start().await?;
        sleep(WATCHED).await;
        println!("{}", gauge::peak_memory()?);
        running.shutdown().await?;
        Ok(())
    })
}

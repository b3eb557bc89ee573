//! Instants of a log, and moves to them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ruststream::Seeker;
use ruststream_kinesis::{KinesisPosition, KinesisSeeker};

use super::within;

/// The wall clock, in milliseconds since the epoch.
#[must_use]
pub fn now() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(elapsed.expect("the clock is set").as_millis()).expect("the clock is sane")
}

/// An instant that lies after what was written so far and before what is written next.
pub async fn between() -> u64 {
    const APART: Duration = Duration::from_millis(20);
    tokio::time::sleep(APART).await;
    let instant = now();
    tokio::time::sleep(APART).await;
    instant
}

/// Moves the subscription; a refusal fails the test.
pub async fn seek(seeker: &KinesisSeeker, to: KinesisPosition) {
    let moved = within(seeker.seek(to)).await;
    moved.expect("the subscription moves");
}

//! The life of streams: created, changed, deleted.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ferrokinesis::types::StreamStatus;

use super::backend::Kinesis;

/// Operations after which a stream is not `ACTIVE` for a while.
pub(super) const CHANGES: [&str; 5] = [
    "CreateStream",
    "DeleteStream",
    "MergeShards",
    "SplitShard",
    "UpdateShardCount",
];

/// How long a change without a delay may take at most before its call is answered all the same.
const SETTLE_POLLS: usize = 1_000;
const SETTLE_POLL: Duration = Duration::from_millis(1);

pub(super) fn now_millis() -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("the clock is past 1970");
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// Streams of one name are told apart by their creation time and by sequence numbers that carry it, both in seconds.
/// The service takes longer than that to create a stream again; here it may be quicker, so the call waits.
pub(super) async fn wait_for_new_second(kinesis: &Kinesis, stream: &str) {
    let last = kinesis.created.lock().await.get(stream).copied();
    while last.is_some_and(|last| now_millis() / 1_000 <= last) {
        tokio::time::sleep(Duration::from_millis(1_001 - now_millis() % 1_000)).await;
    }
}

/// Finishes a change that has no delay before its call is answered: the emulator does it in a task.
pub(super) async fn settle(kinesis: &Kinesis, operation: &str, stream: &str) {
    let delay = match operation {
        "CreateStream" => {
            kinesis
                .created
                .lock()
                .await
                .insert(stream.to_owned(), now_millis() / 1_000);
            set_retention(kinesis, stream).await;
            kinesis.settings.create_delay
        }
        "DeleteStream" => kinesis.settings.delete_delay,
        _ => kinesis.settings.update_delay,
    };
    if !delay.is_zero() {
        return;
    }
    for _ in 0..SETTLE_POLLS {
        match kinesis.store.get_stream(stream).await {
            Ok(stream) if stream.stream_status != StreamStatus::Active => {
                tokio::time::sleep(SETTLE_POLL).await;
            }
            _ => return,
        }
    }
}

async fn set_retention(kinesis: &Kinesis, stream: &str) {
    let Some(hours) = kinesis.settings.retention_hours else {
        return;
    };
    let set = kinesis.store.update_stream(stream, |stream| {
        stream.retention_period_hours = hours;
        Ok(())
    });
    // Fails only when the stream is gone already, and then there is nothing to set.
    let _ = set.await;
}

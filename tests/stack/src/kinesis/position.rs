//! Arrival times and the positions they lead to.

use std::time::{SystemTime, UNIX_EPOCH};

use ferrokinesis::sequence::{resolve_shard_id, shard_ix_to_hex};
use ferrokinesis::store::Store;
use ferrokinesis::types::StoredRecordRef;
use serde_json::Value;

use crate::wire::Received;

/// Now, in seconds since the epoch, to the millisecond.
pub(super) fn now_seconds() -> f64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("the clock is past 1970");
    std::time::Duration::from_millis(u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
        .as_secs_f64()
}

/// The keys of a shard's records in the store: from the first of the shard to the first of the next one.
pub(super) fn range(shard: &str, sequence_number: &str) -> Option<(String, String)> {
    let (_, index) = resolve_shard_id(shard).ok()?;
    Some((
        format!("{}/{sequence_number}", shard_ix_to_hex(index)),
        shard_ix_to_hex(index + 1),
    ))
}

/// `ApproximateArrivalTimestamp` has millisecond precision (`Record` API reference); the emulator keeps whole seconds.
pub(super) async fn stamp(store: &Store, received: &Received, answer: &Value, arrived: f64) {
    let stream = received.text("StreamName").or_else(|| {
        received
            .text("StreamARN")
            .and_then(super::subject::stream_of_arn)
    });
    let Some(stream) = stream else { return };
    let (requests, answers) = match received.body["Records"].as_array() {
        Some(requests) => (
            requests.as_slice(),
            answer["Records"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default(),
        ),
        None => (
            std::slice::from_ref(&received.body),
            std::slice::from_ref(answer),
        ),
    };
    for (request, answer) in requests.iter().zip(answers) {
        let (Some(shard), Some(sequence_number)) = (
            answer["ShardId"].as_str(),
            answer["SequenceNumber"].as_str(),
        ) else {
            continue;
        };
        let Some((key, _)) = range(shard, sequence_number) else {
            continue;
        };
        let record = StoredRecordRef {
            partition_key: request["PartitionKey"].as_str().unwrap_or_default(),
            data: request["Data"].as_str().unwrap_or_default(),
            approximate_arrival_timestamp: arrived,
        };
        // Refused only by a store with a size limit, which this one has not.
        let _ = store.put_record(stream, &key, &record).await;
    }
}

/// `AT_TIMESTAMP` behind the last record leads to the next record written (`GetShardIterator` API reference); the
/// emulator goes to the shard's start.
pub(super) async fn at_timestamp(store: &Store, received: &mut Received) {
    if received.text("ShardIteratorType") != Some("AT_TIMESTAMP") {
        return;
    }
    let (Some(stream), Some(shard)) = (received.text("StreamName"), received.text("ShardId"))
    else {
        return;
    };
    let (Some(timestamp), Some((start, end))) =
        (received.body["Timestamp"].as_f64(), range(shard, ""))
    else {
        return;
    };
    // A time to come is refused by the emulator, as by the service.
    if timestamp > now_seconds() {
        return;
    }
    if store
        .find_first_record_at_timestamp(stream, &start, &end, timestamp)
        .await
        .is_none()
    {
        received.replace_body(|body| {
            body["ShardIteratorType"] = "LATEST".into();
            body["Timestamp"].take();
        });
    }
}

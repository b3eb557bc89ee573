//! Pages of `GetRecords`.

use std::time::{Duration, SystemTime};

use ferrokinesis::sequence::{increment_sequence, parse_sequence};
use ferrokinesis::shard_iterator::{create_shard_iterator, decode_shard_iterator};
use ferrokinesis::types::Shard;
use serde_json::{Value, json};

use super::backend::Kinesis;
use super::position::{now_seconds, range};
use super::streams::now_millis;
use crate::wire::{Received, Reply};

/// A page holds at most 10,000 records (`GetRecords` API reference).
const PAGE_RECORDS: u64 = 10_000;
/// A page holds at most 10 MiB (`GetRecords` API reference).
const PAGE_BYTES: usize = 10 * 1024 * 1024;

/// The refusal of an iterator past its lifetime, which the emulator knows only to the second.
pub(super) fn expired(received: &Received, lifetime: Duration) -> Option<Reply> {
    let (given, ..) = decode_shard_iterator(received.text("ShardIterator")?).ok()?;
    let age = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH + Duration::from_millis(given))
        .ok()?;
    (age > lifetime).then(|| Reply::error(400, "ExpiredIteratorException", "Iterator expired."))
}

/// Brings a page to what the service documents: at most 10 MiB, `MillisBehindLatest` while records follow, and the
/// children once a closed shard is read to its end.
pub(super) async fn complete(kinesis: &Kinesis, received: &Received, body: &mut Value) {
    let asked = received
        .text("ShardIterator")
        .and_then(|iterator| decode_shard_iterator(iterator).ok());
    let Some((_, stream_name, shard_id, _)) = asked else {
        return;
    };
    let truncated = truncate(&stream_name, &shard_id, body);
    let records = body["Records"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let last_arrival = records
        .last()
        .and_then(|record| record["ApproximateArrivalTimestamp"].as_f64());
    let is_empty = records.is_empty();
    let is_full = truncated
        || records.len() as u64 >= received.body["Limit"].as_u64().unwrap_or(PAGE_RECORDS);

    if is_full && more_follows(kinesis, &stream_name, &shard_id, body).await {
        // `MillisBehindLatest` is how far the answer is from the tip (`GetRecords` API reference); the emulator says 0.
        let behind = last_arrival.map_or(0.0, |arrival| (now_seconds() - arrival) * 1_000.0);
        body["MillisBehindLatest"] = whole(behind.max(1.0));
        return;
    }
    let Ok(stream) = kinesis.store.get_stream(&stream_name).await else {
        return;
    };
    let closed = stream.shards.iter().any(|shard| {
        shard.shard_id == shard_id && shard.sequence_number_range.ending_sequence_number.is_some()
    });
    if !closed || !(is_empty || kinesis.settings.last_records_end_shard) {
        return;
    }
    // A closed shard gets no more records, so its end is where none follow; the emulator waits for the clock as well.
    if !more_follows(kinesis, &stream_name, &shard_id, body).await {
        if let Some(fields) = body.as_object_mut() {
            fields.remove("NextShardIterator");
        }
        // The answer that ends a shard names its children (`GetRecords` API reference); the emulator leaves them out.
        body["ChildShards"] = children(&stream.shards, &shard_id);
    }
}

/// Cuts the page at 10 MiB of data and partition keys and lets the next iterator follow the last record left.
fn truncate(stream: &str, shard: &str, body: &mut Value) -> bool {
    let Some(records) = body["Records"].as_array_mut() else {
        return false;
    };
    let mut bytes = 0;
    let fitting = records.iter().take_while(|record| {
        bytes += size(record);
        bytes <= PAGE_BYTES
    });
    let fitting = fitting.count().max(1);
    if fitting >= records.len() {
        return false;
    }
    records.truncate(fitting);
    let last = records
        .last()
        .and_then(|record| record["SequenceNumber"].as_str());
    let Some(last) = last.and_then(|number| parse_sequence(number).ok()) else {
        return false;
    };
    let next = increment_sequence(&last, None);
    body["NextShardIterator"] = create_shard_iterator(stream, shard, &next, now_millis()).into();
    true
}

/// The size of a record as the service counts it: its data, here in Base64, and its partition key.
fn size(record: &Value) -> usize {
    let text = |field: &str| record[field].as_str().unwrap_or_default();
    text("Data").trim_end_matches('=').len() * 3 / 4 + text("PartitionKey").len()
}

/// Whether a record is stored at or after the page's next iterator.
async fn more_follows(kinesis: &Kinesis, stream: &str, shard: &str, body: &Value) -> bool {
    let next = body["NextShardIterator"]
        .as_str()
        .and_then(|iterator| decode_shard_iterator(iterator).ok());
    let Some((.., sequence_number)) = next else {
        return false;
    };
    let Some((start, end)) = range(shard, &sequence_number) else {
        return false;
    };
    !kinesis
        .store
        .get_records_range_limited(stream, &start, &end, 1)
        .await
        .is_empty()
}

fn children(shards: &[Shard], parent: &str) -> Value {
    let children = shards.iter().filter_map(|shard| {
        let parents: Vec<&str> = [&shard.parent_shard_id, &shard.adjacent_parent_shard_id]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        parents.contains(&parent).then(|| {
            json!({
                "ShardId": shard.shard_id,
                "ParentShards": parents,
                "HashKeyRange": {
                    "StartingHashKey": shard.hash_key_range.starting_hash_key,
                    "EndingHashKey": shard.hash_key_range.ending_hash_key,
                },
            })
        })
    });
    children.collect()
}

/// Milliseconds as the integer the wire wants.
fn whole(millis: f64) -> Value {
    u64::try_from(Duration::from_secs_f64(millis / 1_000.0).as_millis())
        .unwrap_or(u64::MAX)
        .into()
}

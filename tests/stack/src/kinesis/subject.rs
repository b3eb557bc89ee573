//! Which stream and which shards a call is about.

use ferrokinesis::shard_iterator::decode_shard_iterator;

use super::listing;
use crate::layer::Subject;
use crate::wire::Received;

/// Fields that name a shard, or the record's partition key.
const KEYS: [&str; 5] = [
    "ShardId",
    "ShardToSplit",
    "ShardToMerge",
    "AdjacentShardToMerge",
    "PartitionKey",
];

pub(super) fn subject(received: &Received) -> Subject {
    if let Some(iterator) = received.text("ShardIterator") {
        return decode_shard_iterator(iterator)
            .map(|(_, stream, shard, _)| Subject {
                resource: Some(stream),
                keys: vec![shard],
            })
            .unwrap_or_default();
    }
    let keys = KEYS
        .into_iter()
        .filter_map(|field| received.text(field))
        .map(str::to_owned)
        .collect();
    Subject {
        resource: stream(received).map(str::to_owned),
        keys,
    }
}

fn stream(received: &Received) -> Option<&str> {
    let of_arn = |field| received.text(field).and_then(stream_of_arn);
    received
        .text("StreamName")
        .or_else(|| of_arn("StreamARN"))
        .or_else(|| of_arn("ConsumerARN"))
        .or_else(|| {
            received
                .text("NextToken")
                .and_then(listing::stream_of_token)
        })
}

/// The name in `arn:aws:kinesis:REGION:ACCOUNT:stream/NAME`, also when `/consumer/..` follows.
pub(super) fn stream_of_arn(arn: &str) -> Option<&str> {
    let (_, name) = arn.split_once(":stream/")?;
    name.split('/').next()
}

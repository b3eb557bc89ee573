//! Every Kinesis call, one function each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::interceptors::BeforeDeserializationInterceptorContextRef;
use aws_sdk_kinesis::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_kinesis::error::BoxError;
use aws_sdk_kinesis::operation::get_records::GetRecordsOutput;
use aws_sdk_kinesis::primitives::{Blob, DateTime, DateTimeFormat};
use aws_sdk_kinesis::types::{Shard, ShardIteratorType, StreamStatus};

use crate::clock;
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::Listed;
use crate::rules::stream_ref::StreamRef;
use crate::sdk_error::{Failure, Kind};

/// Shards in one page of a listing. Source: `ListShards` API reference, 1,000 by default.
const LISTING_PAGE: i32 = 1_000;

/// A stream as calls name it: by ARN where the caller gave one, otherwise by name.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    name: Option<String>,
    arn: Option<String>,
    /// Where calls go, for their errors.
    endpoint: Arc<str>,
}

impl Address {
    pub(crate) fn new(stream: StreamRef<'_>, endpoint: &Arc<str>) -> Self {
        let arn = stream.arn().map(str::to_owned);
        Self {
            name: arn.is_none().then(|| stream.name().to_owned()),
            arn,
            endpoint: Arc::clone(endpoint),
        }
    }
}

/// What a stream's summary says.
pub(crate) struct Summary {
    pub(crate) arn: String,
    pub(crate) status: StreamStatus,
    /// When the stream was created, in milliseconds since the epoch.
    pub(crate) created: Option<u64>,
    /// When the service answered, in milliseconds since the epoch by its own clock.
    pub(crate) answered_at: u64,
}

/// `DescribeStreamSummary`.
pub(crate) async fn describe(client: &Client, stream: &Address) -> Result<Summary, Failure> {
    let date = AnswerDate::default();
    let output = client
        .describe_stream_summary()
        .set_stream_name(stream.name.clone())
        .set_stream_arn(stream.arn.clone())
        .customize()
        .interceptor(date.clone())
        .send()
        .await
        .map_err(|error| Failure::new("DescribeStreamSummary", &stream.endpoint, &error))?;
    let summary = output.stream_description_summary.ok_or_else(|| {
        Failure::unanswered(
            "DescribeStreamSummary",
            &stream.endpoint,
            "an answer without a summary",
        )
    })?;
    let created = summary.stream_creation_timestamp.to_millis().unwrap_or(0);
    Ok(Summary {
        arn: summary.stream_arn,
        status: summary.stream_status,
        created: u64::try_from(created).ok().filter(|millis| *millis > 0),
        answered_at: date.millis(),
    })
}

/// `CreateStream`; only a name can be created.
pub(crate) async fn create(
    client: &Client,
    stream: &Address,
    name: &str,
    shards: i32,
) -> Result<(), Failure> {
    client
        .create_stream()
        .stream_name(name)
        .shard_count(shards)
        .send()
        .await
        .map_err(|error| Failure::new("CreateStream", &stream.endpoint, &error))?;
    Ok(())
}

/// `ListShards`, page by page. A token that expires between two pages starts the listing again.
pub(crate) async fn list_shards(client: &Client, stream: &Address) -> Result<Vec<Listed>, Failure> {
    let mut restarted = false;
    'listing: loop {
        let mut shards = Vec::new();
        let mut token: Option<String> = None;
        loop {
            let page = client.list_shards().max_results(LISTING_PAGE);
            // A token stands for the stream it came from: the service refuses both together.
            let page = match token {
                Some(token) => page.next_token(token),
                None => page
                    .set_stream_name(stream.name.clone())
                    .set_stream_arn(stream.arn.clone()),
            };
            let page = match page.send().await {
                Ok(page) => page,
                Err(error) => {
                    let failure = Failure::new("ListShards", &stream.endpoint, &error);
                    if failure.kind() == Kind::Expired && !restarted {
                        restarted = true;
                        continue 'listing;
                    }
                    return Err(failure);
                }
            };
            shards.extend(page.shards.unwrap_or_default().into_iter().map(listed));
            match page.next_token {
                Some(next) => token = Some(next),
                None => return Ok(shards),
            }
        }
    }
}

fn listed(shard: Shard) -> Listed {
    Listed {
        id: shard.shard_id.into(),
        open: shard
            .sequence_number_range
            .is_none_or(|range| range.ending_sequence_number.is_none()),
        parent: shard.parent_shard_id.map(Into::into),
        adjacent_parent: shard.adjacent_parent_shard_id.map(Into::into),
    }
}

/// An iterator, and when the service made it by its own clock.
pub(crate) struct ShardIterator {
    pub(crate) token: String,
    pub(crate) made_at: u64,
}

/// `GetShardIterator`.
pub(crate) async fn shard_iterator(
    client: &Client,
    stream: &Address,
    shard: &str,
    cursor: &Cursor,
) -> Result<ShardIterator, Failure> {
    let date = AnswerDate::default();
    let call = client
        .get_shard_iterator()
        .set_stream_name(stream.name.clone())
        .set_stream_arn(stream.arn.clone())
        .shard_id(shard);
    let call = match cursor {
        Cursor::Horizon => call.shard_iterator_type(ShardIteratorType::TrimHorizon),
        Cursor::Tip => call.shard_iterator_type(ShardIteratorType::Latest),
        Cursor::Timestamp(millis) => call
            .shard_iterator_type(ShardIteratorType::AtTimestamp)
            .timestamp(DateTime::from_millis(
                i64::try_from(*millis).unwrap_or(i64::MAX),
            )),
        Cursor::At(sequence) => call
            .shard_iterator_type(ShardIteratorType::AtSequenceNumber)
            .starting_sequence_number(sequence),
        Cursor::After(sequence) => call
            .shard_iterator_type(ShardIteratorType::AfterSequenceNumber)
            .starting_sequence_number(sequence),
    };
    let output = call
        .customize()
        .interceptor(date.clone())
        .send()
        .await
        .map_err(|error| Failure::new("GetShardIterator", &stream.endpoint, &error))?;
    let token = output.shard_iterator.ok_or_else(|| {
        Failure::unanswered(
            "GetShardIterator",
            &stream.endpoint,
            "an answer without an iterator",
        )
    })?;
    Ok(ShardIterator {
        token,
        made_at: date.millis(),
    })
}

/// `GetRecords`.
pub(crate) async fn get_records(
    client: &Client,
    stream: &Address,
    iterator: &str,
    limit: i32,
) -> Result<GetRecordsOutput, Failure> {
    client
        .get_records()
        .shard_iterator(iterator)
        .set_stream_arn(stream.arn.clone())
        .limit(limit)
        .send()
        .await
        .map_err(|error| Failure::new("GetRecords", &stream.endpoint, &error))
}

/// `PutRecord`.
pub(crate) async fn put_record(
    client: &Client,
    stream: &Address,
    partition_key: String,
    data: Vec<u8>,
) -> Result<(), Failure> {
    client
        .put_record()
        .set_stream_name(stream.name.clone())
        .set_stream_arn(stream.arn.clone())
        .partition_key(partition_key)
        .data(Blob::new(data))
        .send()
        .await
        .map_err(|error| Failure::new("PutRecord", &stream.endpoint, &error))?;
    Ok(())
}

/// Reads the `Date` header of an answer: the service's clock, to the second.
#[derive(Debug, Clone, Default)]
struct AnswerDate(Arc<AtomicU64>);

impl AnswerDate {
    /// This host's clock stands in where the answer bore no date.
    fn millis(&self) -> u64 {
        match self.0.load(Ordering::Relaxed) {
            0 => clock::wall_millis(),
            millis => millis,
        }
    }
}

impl Intercept for AnswerDate {
    fn name(&self) -> &'static str {
        "AnswerDate"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _runtime: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let millis = context
            .response()
            .headers()
            .get("date")
            .and_then(|date| DateTime::from_str(date, DateTimeFormat::HttpDate).ok())
            .and_then(|date| u64::try_from(date.to_millis().ok()?).ok());
        if let Some(millis) = millis {
            self.0.store(millis, Ordering::Relaxed);
        }
        Ok(())
    }
}

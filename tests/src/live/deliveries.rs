//! Taking deliveries from a subscription, within the test's patience.

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use ruststream::{AckError, IncomingMessage, Subscriber};
use ruststream_kinesis::{KinesisError, KinesisMessage, KinesisSubscriber};
use tokio::time::timeout;

use super::within;

/// The next item of a subscription.
///
/// # Errors
///
/// Whatever the subscription reports.
pub async fn item(subscriber: &mut KinesisSubscriber) -> Result<KinesisMessage, KinesisError> {
    let mut stream = pin!(subscriber.stream());
    within(stream.next()).await.expect("the stream goes on")
}

/// The next delivery; a report fails the test.
pub async fn record(subscriber: &mut KinesisSubscriber) -> KinesisMessage {
    item(subscriber).await.expect("a record, not a report")
}

/// The next delivery, past whatever is reported before it.
pub async fn delivered(subscriber: &mut KinesisSubscriber) -> KinesisMessage {
    loop {
        if let Ok(record) = item(subscriber).await {
            return record;
        }
    }
}

/// The next report, past whatever is delivered before it.
pub async fn report(subscriber: &mut KinesisSubscriber) -> KinesisError {
    loop {
        if let Err(error) = item(subscriber).await {
            return error;
        }
    }
}

/// The next deliveries, unsettled.
pub async fn records(subscriber: &mut KinesisSubscriber, count: usize) -> Vec<KinesisMessage> {
    let mut records = Vec::with_capacity(count);
    while records.len() < count {
        records.push(record(subscriber).await);
    }
    records
}

/// The payloads of the next deliveries, which are acknowledged one after the other.
pub async fn handle(subscriber: &mut KinesisSubscriber, count: usize) -> Vec<String> {
    let mut payloads = Vec::with_capacity(count);
    while payloads.len() < count {
        let record = record(subscriber).await;
        payloads.push(text(&record));
        record.ack().await.expect("the record is acknowledged");
    }
    payloads
}

/// The same in alphabetical order, for records of several shards.
pub async fn handle_sorted(subscriber: &mut KinesisSubscriber, count: usize) -> Vec<String> {
    let mut handled = handle(subscriber, count).await;
    handled.sort_unstable();
    handled
}

/// Acknowledges them one after the other.
pub async fn ack_all(records: impl IntoIterator<Item = KinesisMessage>) {
    for record in records {
        record.ack().await.expect("the record is acknowledged");
    }
}

/// What a settlement failed with; one that did not fail fails the test.
#[must_use]
pub fn refusal(settled: Result<(), AckError>) -> KinesisError {
    match settled {
        Err(AckError::Broker(refusal)) => *refusal.downcast().expect("an error of the crate"),
        other => panic!("a refusal of the broker, not {other:?}"),
    }
}

/// Polls the subscription for that long and fails the test where it yields anything.
pub async fn nothing(subscriber: &mut KinesisSubscriber, during: Duration) {
    let mut stream = pin!(subscriber.stream());
    if let Ok(item) = timeout(during, stream.next()).await {
        panic!("nothing was to come, not {item:?}");
    }
}

/// A delivery's payload.
pub fn text(record: &KinesisMessage) -> String {
    String::from_utf8_lossy(record.payload()).into_owned()
}

/// `0`, `1` .. as [`OneStream::put_many`](super::OneStream::put_many) writes them.
#[must_use]
pub fn numbers(records: std::ops::Range<usize>) -> Vec<String> {
    records.map(|record| record.to_string()).collect()
}

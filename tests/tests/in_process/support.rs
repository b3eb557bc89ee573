//! A broker connected in process, without an app.

use std::pin::pin;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use ruststream::testing::InProcess;
use ruststream::{IncomingMessage, Subscriber};
use ruststream_kinesis::{
    ConnectedKinesisBroker, KinesisBroker, KinesisError, KinesisMessage, KinesisPublisher,
    KinesisStream, KinesisSubscriber,
};
pub(crate) use tests::wire::{publish, publish_with};

/// More than any test takes, and than any test moves its clock.
const FOR_EVER: Duration = Duration::from_mins(5);

/// Fails where the body waits for ever, which a miscounted record makes the harness do. On a paused
/// clock that shows at once.
pub(crate) async fn finishes(body: impl Future<Output = ()>) {
    let finished = tokio::time::timeout(FOR_EVER, Box::pin(body)).await;
    finished.expect("nothing is waited for for ever");
}

pub(crate) async fn connect() -> ConnectedKinesisBroker {
    KinesisBroker::new()
        .connect_in_process()
        .await
        .expect("nothing is dialled")
}

pub(crate) async fn subscribe(
    connected: &ConnectedKinesisBroker,
    stream: &str,
) -> KinesisSubscriber {
    connected
        .subscribe_stream(KinesisStream::new(stream))
        .await
        .expect("every stream a service names is there")
}

pub(crate) async fn publish_all(publisher: &KinesisPublisher, stream: &str, payloads: &[&str]) {
    for payload in payloads {
        publish(publisher, stream, payload.as_bytes())
            .await
            .expect("the log takes the record");
    }
}

/// The next record, which a log has at once or not at all.
pub(crate) fn next(subscriber: &mut KinesisSubscriber) -> Option<KinesisMessage> {
    next_item(subscriber).map(|item| item.expect("the record is handed over"))
}

pub(crate) fn next_item(
    subscriber: &mut KinesisSubscriber,
) -> Option<Result<KinesisMessage, KinesisError>> {
    let mut stream = pin!(subscriber.stream());
    stream
        .next()
        .now_or_never()
        .map(|item| item.expect("the subscription is open"))
}

/// Every record that waits, acknowledged.
pub(crate) async fn drain(subscriber: &mut KinesisSubscriber) -> Vec<String> {
    let mut payloads = Vec::new();
    while let Some(message) = next(subscriber) {
        payloads.push(String::from_utf8_lossy(message.payload()).into_owned());
        message.ack().await.expect("the record is settled");
    }
    payloads
}

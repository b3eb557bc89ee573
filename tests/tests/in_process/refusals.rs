//! "It never succeeds where the service fails."

use ruststream::testing::{TestApp, TestableBroker};
use ruststream::{HeaderMap, OutgoingMessage, PublishPolicy, Publisher};
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisError, PARTITION_KEY_HEADER};
use tests::apps::{Order, info};

use crate::support::{connect, publish, publish_with};

const MIB: usize = 1024 * 1024;

/// Whether the record was refused with an error that names its stream and says that.
#[track_caller]
fn assert_refused(answer: Result<(), KinesisError>, named: &str, reason: &str) {
    let Err(error @ KinesisError::Publish { .. }) = answer else {
        panic!("a publish to {named:?} is refused, not {answer:?}");
    };
    let text = error.to_string();
    assert!(text.contains(named) && text.contains(reason), "{text}");
}

#[tokio::test]
async fn a_stream_name_the_service_does_not_accept_is_refused() {
    let connected = connect().await;
    let publisher = connected.publisher();
    let long = "s".repeat(129);
    for (name, reason) in [
        ("", "at least one character"),
        ("orders of today", "letters, digits"),
        (&long, "at most 128"),
        ("arn:aws:kinesis:eu-west-1:12:stream/orders", "12 digits"),
        (
            "arn:aws:sqs:eu-west-1:123456789012:stream/orders",
            "kinesis",
        ),
    ] {
        assert_refused(publish(&publisher, name, b"{}").await, name, reason);
        let refused = connected.subscribe_stream(KinesisStream::new(name)).await;
        assert!(
            matches!(refused, Err(KinesisError::Invalid(_))),
            "{refused:?}"
        );
    }
    for name in [&long[1..], "Orders_v1.2-eu"] {
        let taken = publish(&publisher, name, b"{}").await;
        taken.expect("the name is one the service accepts");
    }
}

#[tokio::test]
async fn an_empty_partition_key_or_one_longer_than_256_characters_is_refused() {
    let connected = connect().await;
    let refused = "1 to 256 characters";
    for key in [String::new(), "k".repeat(257), "ü".repeat(257)] {
        let options = KinesisPublishOptions {
            partition_key: Some(key.clone()),
        };
        let message = OutgoingMessage::new("orders", b"{}".as_slice());
        let publisher = connected.publisher();
        let answer = publisher.publish(message, Some(&options)).await;
        assert_refused(answer, "orders", refused);

        let mut headers = HeaderMap::new();
        headers.insert(PARTITION_KEY_HEADER, key.clone());
        let answer = publish_with(&publisher, "orders", b"{}", headers).await;
        assert_refused(answer, "orders", refused);

        let policy = Publish::default().partition_key(key);
        let publisher = policy.pair(&connected).await.expect("the policy pairs");
        assert_refused(
            publish(&publisher, "orders", b"{}").await,
            "orders",
            refused,
        );
    }
    assert_eq!(connected.published("orders").len(), 0);
    let mut headers = HeaderMap::new();
    headers.insert(PARTITION_KEY_HEADER, "ü".repeat(256));
    let taken = publish_with(&connected.publisher(), "orders", b"{}", headers).await;
    taken.expect("256 characters are a key, however many bytes they take");
}

#[tokio::test]
async fn a_record_over_1_mib_is_refused() {
    let connected = connect().await;
    let policy = Publish::default().partition_key("key");
    let publisher = policy.pair(&connected).await.expect("the policy pairs");
    let largest = vec![b'.'; MIB - "key".len()];
    let taken = publish(&publisher, "orders", &largest).await;
    taken.expect("the record has 1 MiB with its key");
    let over = [&largest[..], b"."].concat();
    assert_refused(
        publish(&publisher, "orders", &over).await,
        "orders",
        "1 MiB",
    );
    assert_eq!(connected.published("orders").len(), 1);
}

#[tokio::test]
async fn the_envelope_counts_into_the_record_and_the_key_stays_out_of_it() {
    let connected = connect().await;
    let publisher = connected.publisher();
    let mut headers = HeaderMap::new();
    headers.insert(PARTITION_KEY_HEADER, "key");
    let largest = vec![b'.'; MIB - "key".len()];
    let taken = publish_with(&publisher, "orders", &largest, headers.clone()).await;
    taken.expect("a record whose only header is its key is the plain payload");
    headers.insert("x-tenant", "acme");
    let answer = publish_with(&publisher, "orders", &largest, headers).await;
    assert_refused(answer, "orders", "1 MiB");
}

#[subscriber(KinesisStream::new("orders"))]
async fn handle(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

#[tokio::test]
#[should_panic(expected = "the injected record is refused: publishing to stream 'not a stream'")]
async fn a_test_that_publishes_what_the_service_refuses_fails_with_a_sentence() {
    let app = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
        b.include(handle);
    });
    let tb = TestApp::start(app).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let _ = broker.publish("not a stream", &Order { id: 7 }).await;
}

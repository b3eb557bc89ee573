//! Handles and what they answer: one subscription a stream, and nothing after the shutdown.

use std::pin::pin;

use futures::StreamExt;
use ruststream::testing::InProcess;
use ruststream::{
    Broker, ConnectedBroker, IncomingMessage, Seekable, Seeker, Subscribe, Subscriber,
};
use ruststream_kinesis::{
    KinesisBroker, KinesisError, KinesisPosition, KinesisStream, LeaseTimings,
};
use tests::live::refusal;
use tests::store::{Op, RecordingStore};

use crate::support::{connect, drain, finishes, next, publish, publish_all, subscribe};

const ARN: &str = "arn:aws:kinesis:eu-west-1:123456789012:stream/orders";

fn is_not_connected(answer: &Result<(), KinesisError>) -> bool {
    matches!(answer, Err(KinesisError::NotConnected))
}

#[tokio::test]
async fn a_publisher_reports_not_connected_before_the_connect_and_after_the_shutdown() {
    let broker = KinesisBroker::new();
    let early = broker.publisher();
    assert!(is_not_connected(&publish(&early, "orders", b"a").await));
    let connected = broker.connect_in_process().await.expect("connects");
    let paired = connected.publisher();
    publish(&early, "orders", b"a").await.expect("connected");
    publish(&paired, "orders", b"a").await.expect("connected");
    connected.shutdown().await.expect("shuts down");
    assert!(is_not_connected(&publish(&early, "orders", b"a").await));
    assert!(is_not_connected(&publish(&paired, "orders", b"a").await));
}

#[tokio::test]
async fn a_delivery_reports_not_connected_after_the_shutdown() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    publish_all(&connected.publisher(), "orders", &["a", "b", "c"]).await;
    let [a, b, c] = [(); 3].map(|()| next(&mut subscriber).expect("a record"));
    connected.shutdown().await.expect("shuts down");
    let settled = [a.ack().await, b.nack(false).await, c.nack(true).await];
    for refused in settled.map(refusal) {
        assert!(matches!(refused, KinesisError::NotConnected), "{refused}");
    }
}

#[tokio::test]
async fn a_seeker_reports_not_connected_after_the_shutdown() {
    let connected = connect().await;
    let subscriber = subscribe(&connected, "orders").await;
    let seeker = subscriber.seeker();
    connected.shutdown().await.expect("shuts down");
    assert!(is_not_connected(
        &seeker.seek(KinesisPosition::horizon()).await
    ));
}

#[tokio::test]
async fn a_seeker_of_a_dropped_subscription_moves_nothing() {
    let connected = connect().await;
    let publisher = connected.publisher();
    let first = subscribe(&connected, "orders").await;
    let seeker = first.seeker();
    publish_all(&publisher, "orders", &["a"]).await;
    drop(first);
    let mut second = subscribe(&connected, "orders").await;
    assert!(is_not_connected(
        &seeker.seek(KinesisPosition::horizon()).await
    ));
    publish_all(&publisher, "orders", &["b"]).await;
    assert_eq!(drain(&mut second).await, ["b"]);
}

#[tokio::test(start_paused = true)]
async fn the_shutdown_ends_a_subscription_that_waits() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    let reading = tokio::spawn(async move { pin!(subscriber.stream()).next().await.is_none() });
    tokio::task::yield_now().await;
    connected.shutdown().await.expect("shuts down");
    finishes(async { assert!(reading.await.expect("the reader does not panic")) }).await;
}

#[tokio::test]
async fn a_second_subscription_to_one_stream_is_refused_until_the_first_is_dropped() {
    let connected = connect().await;
    let first = subscribe(&connected, "orders").await;
    for named in ["orders", ARN] {
        let refused = connected.subscribe_stream(KinesisStream::new(named)).await;
        let Err(KinesisError::AlreadySubscribed { stream }) = refused else {
            panic!("{named} is refused, not {refused:?}");
        };
        assert_eq!(stream, named);
    }
    assert!(Subscribe::subscribe(&connected, "orders").await.is_err());
    subscribe(&connected, "receipts").await;
    drop(first);
    subscribe(&connected, ARN).await;
    subscribe(&connected, "orders").await;
}

#[tokio::test]
async fn a_name_and_an_arn_of_one_stream_are_one_stream() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, ARN).await;
    assert_eq!(subscriber.stream_name(), ARN);
    publish_all(&connected.publisher(), "orders", &["by name"]).await;
    publish_all(&connected.publisher(), ARN, &["by arn"]).await;
    assert_eq!(drain(&mut subscriber).await, ["by name", "by arn"]);
}

#[tokio::test]
async fn two_brokers_share_nothing() {
    let (one, other) = (connect().await, connect().await);
    let mut subscriber = subscribe(&one, "orders").await;
    subscribe(&other, "orders").await;
    publish_all(&other.publisher(), "orders", &["a"]).await;
    assert_eq!(drain(&mut subscriber).await, [""; 0]);
}

#[tokio::test]
async fn no_lease_store_is_consulted() {
    let store = RecordingStore::new();
    let broker = KinesisBroker::new().lease_store(store.clone());
    let connected = broker.connect_in_process().await.expect("connects");
    let mut subscriber = subscribe(&connected, "orders").await;
    publish_all(&connected.publisher(), "orders", &["a"]).await;
    assert_eq!(drain(&mut subscriber).await, ["a"]);
    connected.shutdown().await.expect("shuts down");
    assert_eq!(Op::ALL.map(|op| store.count(op)), [0; 5]);
}

#[tokio::test]
async fn settings_no_connection_can_have_are_refused_in_process_as_well() {
    let timings = LeaseTimings::builder()
        .lease_ttl(std::time::Duration::from_secs(1))
        .renew_every(std::time::Duration::from_secs(1))
        .build();
    let broker = || KinesisBroker::new().lease_timings(timings).region("local");
    let live = broker().connect().await.err();
    let in_process = broker().connect_in_process().await.err();
    assert!(matches!(live, Some(KinesisError::Invalid(_))), "{live:?}");
    assert!(
        matches!(in_process, Some(KinesisError::Invalid(_))),
        "{in_process:?}"
    );
}

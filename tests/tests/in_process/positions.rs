//! Where a subscription reads from.

use ruststream::{IncomingMessage, Positioned, Seekable, Seeker, StartAt, SubscriptionSource};
use ruststream_kinesis::{
    ConnectedKinesisBroker, KinesisError, KinesisPosition, KinesisStream, KinesisSubscriber,
};

use tests::live::between;

use crate::support::{connect, drain, next, publish_all, subscribe};

async fn start_at(
    connected: &ConnectedKinesisBroker,
    position: KinesisPosition,
) -> Result<KinesisSubscriber, KinesisError> {
    StartAt::new(KinesisStream::new("orders"), position)
        .subscribe(connected)
        .await
}

#[tokio::test]
async fn a_subscription_opens_at_the_tip() {
    let connected = connect().await;
    let publisher = connected.publisher();
    publish_all(&publisher, "orders", &["before"]).await;
    let mut subscriber = subscribe(&connected, "orders").await;
    publish_all(&publisher, "orders", &["after"]).await;
    assert_eq!(drain(&mut subscriber).await, ["after"]);
}

#[tokio::test]
async fn a_subscription_opened_again_opens_at_the_tip_since_checkpoints_are_the_services() {
    let connected = connect().await;
    let publisher = connected.publisher();
    let first = subscribe(&connected, "orders").await;
    publish_all(&publisher, "orders", &["unread"]).await;
    drop(first);
    let mut second = subscribe(&connected, "orders").await;
    assert_eq!(drain(&mut second).await, [""; 0]);
}

#[tokio::test]
async fn start_at_the_horizon_reads_everything_the_log_retains() {
    let connected = connect().await;
    publish_all(&connected.publisher(), "orders", &["a", "b"]).await;
    let opened = start_at(&connected, KinesisPosition::horizon()).await;
    let mut subscriber = opened.expect("the horizon is there");
    assert_eq!(drain(&mut subscriber).await, ["a", "b"]);
    publish_all(&connected.publisher(), "orders", &["c"]).await;
    assert_eq!(drain(&mut subscriber).await, ["c"]);
}

#[tokio::test]
async fn start_at_latest_reads_only_what_is_published_after() {
    let connected = connect().await;
    publish_all(&connected.publisher(), "orders", &["a"]).await;
    let opened = start_at(&connected, KinesisPosition::latest()).await;
    let mut subscriber = opened.expect("the tip is there");
    publish_all(&connected.publisher(), "orders", &["b"]).await;
    assert_eq!(drain(&mut subscriber).await, ["b"]);
}

#[tokio::test]
async fn start_at_a_timestamp_reads_from_the_first_record_of_that_instant() {
    let connected = connect().await;
    let publisher = connected.publisher();
    let first = between().await;
    publish_all(&publisher, "orders", &["a"]).await;
    let second = between().await;
    publish_all(&publisher, "orders", &["b", "c"]).await;
    let last = between().await;
    for (instant, expected) in [
        (0, &["a", "b", "c"][..]),
        (first, &["a", "b", "c"]),
        (second, &["b", "c"]),
        (last, &[]),
    ] {
        let opened = start_at(&connected, KinesisPosition::timestamp(instant)).await;
        let mut subscriber = opened.expect("the instant is past");
        assert_eq!(drain(&mut subscriber).await, expected, "{instant}");
    }
}

#[tokio::test]
async fn start_at_a_sequence_number_reads_that_record_and_what_follows() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    publish_all(&connected.publisher(), "orders", &["a", "b", "c"]).await;
    next(&mut subscriber)
        .expect("a")
        .ack()
        .await
        .expect("settled");
    let position = next(&mut subscriber).expect("b").position();
    drop(subscriber);
    let opened = start_at(&connected, position).await;
    let mut again = opened.expect("the record is there");
    assert_eq!(drain(&mut again).await, ["b", "c"]);
}

#[tokio::test]
async fn start_at_a_position_the_log_does_not_hold_fails_the_mount_and_frees_the_stream() {
    let connected = connect().await;
    for position in [
        KinesisPosition::timestamp(u64::MAX),
        KinesisPosition::sequence("shardId-000000000001", "1"),
        KinesisPosition::sequence("shardId-000000000000", "1"),
    ] {
        let refused = start_at(&connected, position.clone()).await;
        let Err(KinesisError::Read { stream, shard, .. }) = refused else {
            panic!("{position:?} is refused, not {refused:?}");
        };
        assert_eq!(stream, "orders");
        let named = match position {
            KinesisPosition::Sequence { shard, .. } => shard,
            _ => "shardId-000000000000".to_owned(),
        };
        assert_eq!(shard, named);
    }
    subscribe(&connected, "orders").await;
}

#[tokio::test]
async fn a_refused_seek_moves_nothing() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    publish_all(&connected.publisher(), "orders", &["a", "b"]).await;
    next(&mut subscriber)
        .expect("a")
        .ack()
        .await
        .expect("settled");
    let seeker = subscriber.seeker();
    let refused = seeker.seek(KinesisPosition::timestamp(u64::MAX)).await;
    assert!(
        matches!(refused, Err(KinesisError::Read { .. })),
        "{refused:?}"
    );
    assert_eq!(drain(&mut subscriber).await, ["b"]);
}

#[tokio::test]
async fn a_seek_to_the_horizon_or_the_tip_moves_the_running_subscription() {
    let connected = connect().await;
    let publisher = connected.publisher();
    let mut subscriber = subscribe(&connected, "orders").await;
    let seeker = subscriber.seeker();
    publish_all(&publisher, "orders", &["a", "b"]).await;
    assert_eq!(drain(&mut subscriber).await, ["a", "b"]);
    let moved = seeker.seek(KinesisPosition::horizon()).await;
    moved.expect("the horizon is there");
    assert_eq!(drain(&mut subscriber).await, ["a", "b"]);
    publish_all(&publisher, "orders", &["c"]).await;
    let moved = seeker.seek(KinesisPosition::latest()).await;
    moved.expect("the tip is there");
    publish_all(&publisher, "orders", &["d"]).await;
    assert_eq!(drain(&mut subscriber).await, ["d"]);
}

#[tokio::test]
async fn sequence_numbers_grow_with_the_records() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    publish_all(&connected.publisher(), "orders", &["a"; 12]).await;
    let mut sequences = Vec::new();
    while let Some(message) = next(&mut subscriber) {
        let KinesisPosition::Sequence { shard, sequence } = message.position() else {
            panic!("a record's position is its sequence number");
        };
        assert_eq!(shard, "shardId-000000000000");
        assert!(
            sequence.bytes().all(|byte| byte.is_ascii_digit()),
            "{sequence}"
        );
        sequences.push(sequence);
    }
    assert_eq!(sequences.len(), 12);
    assert!(sequences.is_sorted_by(|a, b| a < b));
}

//! The framework's conformance suites, as they apply to a Kinesis broker.

#![expect(
    clippy::missing_panics_doc,
    reason = "a suite panics where the broker does not keep its contract"
)]

use std::time::Duration;

use ruststream::conformance::helpers::unique_subject;
use ruststream::conformance::message_shape::{self, OptionCases};
use ruststream::conformance::settlement::{self, Answer};
use ruststream::conformance::{capabilities, harness};
use ruststream::{IncomingMessage, Name, StartAt};
use ruststream_kinesis::{
    ConnectedKinesisBroker, KinesisMessage, KinesisPosition, KinesisPublish, KinesisPublishOptions,
    KinesisPublisher,
};

use crate::stand::Stand;

/// Declares one test per suite, over the stand an expression gives.
#[macro_export]
macro_rules! conformance_suites {
    ($stand:expr) => {
        $crate::conformance_suites! { $stand =>
            the_ladder_holds_from_every_runtime
            a_retry_copy_reaches_the_address_the_descriptor_reports
            a_seek_moves_the_subscription
            a_seek_moves_a_subscription_opened_by_start_at
            a_seek_to_a_shard_the_stream_does_not_have_moves_nothing
            batches_carry_no_more_records_than_their_size
            a_seek_moves_a_subscription_read_in_batches
            settlements_answer_what_they_do
            the_records_of_a_key_arrive_in_order
            a_publish_settles_its_options_over_the_policy
        }
    };
    ($stand:expr => $($suite:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $suite() {
            $crate::suites::$suite($stand).await;
        }
    )*};
}

fn publisher(connected: &ConnectedKinesisBroker) -> KinesisPublisher {
    connected.publisher()
}

fn keyed(key: impl Into<String>) -> KinesisPublishOptions {
    KinesisPublishOptions {
        partition_key: Some(key.into()),
    }
}

fn key_of(message: &KinesisMessage) -> String {
    let key = IncomingMessage::partition_key(message).expect("a published record has a key");
    String::from_utf8_lossy(key).into_owned()
}

/// `harness::lifecycle`.
pub async fn the_ladder_holds_from_every_runtime(stand: impl Stand) {
    let broker = stand.clone();
    harness::lifecycle(
        move || broker.broker(),
        |stream| stand.source(stream),
        publisher,
    )
    .await;
}

/// `harness::redelivery_address` over the descriptor.
pub async fn a_retry_copy_reaches_the_address_the_descriptor_reports(stand: impl Stand) {
    harness::redelivery_address(|| stand.broker(), |stream| stand.source(stream), publisher).await;
}

/// `harness::redelivery_address` over a bare name, for a stand whose streams need no creation.
pub async fn a_retry_copy_reaches_the_address_a_bare_name_reports(stand: impl Stand) {
    harness::redelivery_address(
        || stand.broker(),
        |stream| Name::new(stream.to_owned()),
        publisher,
    )
    .await;
}

/// `capabilities::seeking`.
pub async fn a_seek_moves_the_subscription(stand: impl Stand) {
    capabilities::seeking(|| stand.broker(), |stream| stand.source(stream), publisher).await;
}

/// `capabilities::seeking` through `StartAt`.
pub async fn a_seek_moves_a_subscription_opened_by_start_at(stand: impl Stand) {
    capabilities::seeking(
        || stand.broker(),
        |stream| StartAt::new(stand.source(stream), KinesisPosition::horizon()),
        publisher,
    )
    .await;
}

/// `capabilities::seeking_unknown_position` with a shard no small stream has.
pub async fn a_seek_to_a_shard_the_stream_does_not_have_moves_nothing(stand: impl Stand) {
    capabilities::seeking_unknown_position(
        || stand.broker(),
        |stream| stand.source(stream),
        publisher,
        |_| KinesisPosition::sequence("shardId-000000009999", "1"),
    )
    .await;
}

/// `capabilities::seeking_unknown_position` with a sequence number the one shard does not hold.
pub async fn a_seek_to_a_record_the_shard_does_not_hold_moves_nothing(stand: impl Stand) {
    capabilities::seeking_unknown_position(
        || stand.broker(),
        |stream| stand.source(stream),
        publisher,
        |_| KinesisPosition::sequence("shardId-000000000000", "1"),
    )
    .await;
}

/// `capabilities::batches`.
pub async fn batches_carry_no_more_records_than_their_size(stand: impl Stand) {
    capabilities::batches(|| stand.broker(), |stream| stand.source(stream), publisher).await;
}

/// `capabilities::batch_seeking`.
pub async fn a_seek_moves_a_subscription_read_in_batches(stand: impl Stand) {
    capabilities::batch_seeking(|| stand.broker(), |stream| stand.source(stream), publisher).await;
}

/// `settlement::suite`, with its answers pinned.
pub async fn settlements_answer_what_they_do(stand: impl Stand) {
    let answers = settlement::suite(
        || stand.broker(),
        |stream| stand.source(stream),
        publisher,
        Duration::ZERO,
    )
    .await;
    assert_eq!(answers.ack, Answer::Settled);
    assert_eq!(answers.reject, Answer::Settled);
    assert_eq!(answers.requeue, Answer::Unsupported);
    assert!(!answers.delay);
}

/// `settlement::matches_in_process`, for a stand that dials a service.
pub async fn settlements_answer_the_same_in_process(stand: impl Stand) {
    // A live connect and two runs of the suite: too large for the caller's own future.
    Box::pin(settlement::matches_in_process(
        || stand.service(),
        |stream| stand.source(stream),
        publisher,
        Duration::ZERO,
    ))
    .await;
}

/// `message_shape::keyed_order`.
pub async fn the_records_of_a_key_arrive_in_order(stand: impl Stand) {
    message_shape::keyed_order(
        || stand.broker(),
        &unique_subject("conformance.keyed"),
        |stream| stand.source(stream),
        publisher,
        |key, _| Some(keyed(String::from_utf8_lossy(key))),
    )
    .await;
}

/// `message_shape::publish_options`: the policy's key, the call's over it, and the refusals.
pub async fn a_publish_settles_its_options_over_the_policy(stand: impl Stand) {
    message_shape::publish_options(
        || stand.broker(),
        &unique_subject("conformance.options"),
        |stream| stand.source(stream),
        KinesisPublish::default().partition_key("policy"),
        OptionCases::new("policy".to_owned())
            .overrides(keyed("call"), "call".to_owned())
            .overrides(keyed("k".repeat(256)), "k".repeat(256))
            .overrides(KinesisPublishOptions::default(), "policy".to_owned())
            .refuses(keyed(""))
            .refuses(keyed("k".repeat(257))),
        key_of,
    )
    .await;
}

/// What the document is told carries no password: the servers, the descriptor and the policy.
#[cfg(feature = "asyncapi")]
pub fn the_document_carries_no_credentials() {
    use ruststream_kinesis::{KinesisBroker, KinesisStream};

    const SECRET: &str = "hunter2";
    message_shape::publishes_without_credentials::<ConnectedKinesisBroker, _>(
        &KinesisPublish::default().partition_key("key"),
        SECRET,
    );
    message_shape::describes_addresses_without_credentials(
        |addresses| KinesisBroker::new().endpoint(addresses[0]),
        "https",
    );
    harness::describes_without_credentials(
        &KinesisBroker::new().endpoint(format!("http://user:{SECRET}@127.0.0.1:4567/path")),
        &KinesisStream::new("orders"),
        SECRET,
    );
}

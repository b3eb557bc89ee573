//! The framework's suites over the service.

use futures::FutureExt;
use ruststream::PublishPolicy;
use ruststream::conformance::helpers::unique_subject;
use ruststream::conformance::in_process::{self, Refusal};
use ruststream::conformance::lifecycle;
use ruststream::testing::Backlog;
use ruststream_kinesis::{ConnectedKinesisBroker, KinesisPublish, KinesisStream};
use tests::live_stand::Live;
use tests::or_skip;
use tests::stand::Stand;

tests::conformance_suites!(or_skip!(Live::of_environment()));

tests::conformance_suites! { or_skip!(Live::of_environment()) =>
    a_seek_to_a_record_the_shard_does_not_hold_moves_nothing
    settlements_answer_the_same_in_process
}

// A bare name creates nothing, so its stream has to be there.
tests::conformance_suites! { Live::embedded() =>
    a_retry_copy_reaches_the_address_a_bare_name_reports
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_flushes_what_was_handed_over_before_it() {
    let stand = or_skip!(Live::of_environment());
    lifecycle::shutdown_flushes(
        || stand.broker(),
        |stream| stand.source(stream),
        ConnectedKinesisBroker::publisher,
        Backlog::Missed,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_opens_at_the_tip_in_process_and_at_the_service() {
    let stand = Live::embedded();
    in_process::backlog_matches_server(
        || stand.broker(),
        |connected: &ConnectedKinesisBroker| connected.publisher(),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_service_refuses_is_refused_in_process() {
    const KEY: &str = "key";
    /// The service takes ten times that where a stream says so; the stack's streams do not.
    const LARGEST: usize = 1024 * 1024 - KEY.len();
    let stand = Live::embedded();
    let stream = unique_subject("refusals");
    in_process::refuses_like_the_server(
        || stand.broker(),
        |connected: &ConnectedKinesisBroker| {
            let paired = KinesisPublish::default().partition_key(KEY).pair(connected);
            let publisher = paired.now_or_never().expect("pairing waits for nothing");
            publisher.expect("pairing cannot fail")
        },
        [
            Refusal::PayloadOver {
                name: stream,
                limit: LARGEST,
            },
            Refusal::Publish {
                name: "no stream has such a name".to_owned(),
            },
            Refusal::Publish {
                name: String::new(),
            },
            Refusal::Subscription {
                source: KinesisStream::new("no stream has such a name"),
            },
            Refusal::Subscription {
                source: KinesisStream::new("orders").create_if_missing(0),
            },
        ],
    )
    .await;
}

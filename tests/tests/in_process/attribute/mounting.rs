//! What reaches the broker when a handler with keys is mounted.

use std::time::Duration;

use ruststream::testing::{TestApp, TestError};
use ruststream_kinesis::prelude::*;
use tests::apps::{Order, info, publish_orders};

/// Where no record will ever be.
const NOWHERE: KinesisPosition = KinesisPosition::timestamp(u64::MAX);

#[subscriber(stream = "orders", poll_interval = Duration::ZERO)]
async fn without_a_pause(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = "orders", poll_interval = Duration::from_secs(86_401))]
async fn with_a_pause_of_days(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = "orders", create_if_missing = i32::MIN)]
async fn without_a_shard(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = "orders", checkpoint_interval = Duration::ZERO)]
async fn without_an_interval(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = "orders", memory_budget = usize::MIN)]
async fn without_memory(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = format!("orders of {}", "today"))]
async fn without_a_name(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = "orders", start_at = sequence("shardId-000000009999", "1"))]
async fn on_a_shard_that_is_not_there(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = "orders", start_at = NOWHERE)]
async fn beyond_the_end(order: &Order) {
    let _ = order.id;
}

#[subscriber(batch = 4)]
async fn named_later(orders: &[Order]) {
    let _ = orders.len();
}

#[tokio::test]
async fn what_an_expression_says_is_checked_when_the_subscription_opens() {
    let app = || RustStream::new(info());
    for (app, rule) in [
        (
            app().with_broker(KinesisBroker::new(), |b| {
                b.include(without_a_pause);
            }),
            "a poll interval",
        ),
        (
            app().with_broker(KinesisBroker::new(), |b| {
                b.include(with_a_pause_of_days);
            }),
            "at most a day",
        ),
        (
            app().with_broker(KinesisBroker::new(), |b| {
                b.include(without_a_shard);
            }),
            "at least one shard",
        ),
        (
            app().with_broker(KinesisBroker::new(), |b| {
                b.include(without_an_interval);
            }),
            "a checkpoint interval",
        ),
        (
            app().with_broker(KinesisBroker::new(), |b| {
                b.include(without_memory);
            }),
            "a memory budget",
        ),
        (
            app().with_broker(KinesisBroker::new(), |b| {
                b.include(without_a_name);
            }),
            "a stream is named by",
        ),
        (
            app().with_broker(KinesisBroker::new(), |b| {
                b.include(on_a_shard_that_is_not_there);
            }),
            "shardId-000000009999",
        ),
        (
            app().with_broker(KinesisBroker::new(), |b| {
                b.include(beyond_the_end);
            }),
            "the instant lies in the future",
        ),
    ] {
        let refused = TestApp::start(app).await.err();
        let Some(TestError::Subscribe(refused)) = refused else {
            panic!("the mount is refused for its {rule}, not {refused:?}");
        };
        let refused = format!("{refused:?}");
        assert!(refused.contains(rule), "{refused}");
    }
}

#[tokio::test]
async fn a_sized_handler_is_named_at_the_mount_site() {
    let app = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
        b.include(named_later.name("orders"));
    });
    let tb = TestApp::start(app).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[1]).await;
    broker.subscriber("orders").assert_batch_sizes(&[1]);
    tb.shutdown().await.expect("the app stops");
}

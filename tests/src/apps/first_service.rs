//! "The first service", and what the specification says of naming its stream.

use std::time::Duration;

use ruststream::testing::TestError;
use ruststream_kinesis::prelude::*;

use super::{Order, info, orders, publish_orders};
use crate::stand::Stand;

#[subscriber(KinesisStream::new("orders"))]
async fn handle(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

#[subscriber("orders")]
async fn handle_literal(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

#[subscriber(KinesisStream)]
async fn handle_open(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::ack()
}

async fn accepts_an_order<A>(stand: &impl Stand, app: A)
where
    A: App,
    A::State: Send + Sync + 'static,
{
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    tb.broker::<KinesisBroker>()
        .message(&Order { id: 7 })
        .publish()
        .await
        .expect("the publish settles");
    tb.broker::<KinesisBroker>()
        .subscriber("orders")
        .assert_called_once()
        .with(&Order { id: 7 })
        .settled(HandlerOutcome::ack());
    tb.shutdown().await.expect("the app stops");
}

/// Testing: "The publish returns once the handler it woke has settled."
pub async fn the_publish_returns_once_the_handler_it_woke_has_settled(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(handle);
    });
    accepts_an_order(&stand, app).await;
}

/// The subscription source: "A string literal names a stream too".
pub async fn a_string_literal_names_a_stream_too(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(handle_literal);
    });
    accepts_an_order(&stand, app).await;
}

/// Testing: "every record is ordered against every other".
pub async fn records_arrive_in_the_order_they_were_published(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(handle);
    });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[3, 1, 2]).await;
    assert_eq!(
        broker.subscriber("orders").received::<Order>(),
        orders(&[3, 1, 2])
    );
    tb.shutdown().await.expect("the app stops");
}

/// The subscription source: "An invalid descriptor fails the mount before any I/O."
pub async fn an_invalid_descriptor_fails_the_mount(stand: impl Stand) {
    let app = || RustStream::new(info());
    let apps = [
        app().with_broker(stand.service(), |b| {
            b.include(handle_open.name(""));
        }),
        app().with_broker(stand.service(), |b| {
            b.include(handle_open.name("orders of today"));
        }),
        app().with_broker(stand.service(), |b| {
            b.include(handle.create_if_missing(0));
        }),
        app().with_broker(stand.service(), |b| {
            b.include(handle.poll_interval(Duration::ZERO));
        }),
    ];
    for app in apps {
        let refused = stand.start(app, &[]).await.err();
        assert!(
            matches!(refused, Some(TestError::Subscribe(_))),
            "{refused:?}"
        );
    }
}

/// A broker reads a stream once: a second subscription would share its leases and lose records.
pub async fn a_second_subscription_to_one_stream_fails_the_mount(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(handle);
        b.include(handle_literal);
    });
    let refused = stand.start(app, &["orders"]).await.err();
    let Some(TestError::Subscribe(refused)) = refused else {
        panic!("the second mount is refused, not {refused:?}");
    };
    assert!(
        refused.to_string().contains("already has a subscription"),
        "{refused}"
    );
}

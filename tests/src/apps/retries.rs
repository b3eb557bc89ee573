//! "Delayed redelivery and its cap", and the settlements it builds on.

use std::time::Duration;

use ruststream::codec::{Codec, CodecError};
use ruststream::runtime::{Outgoing, PublishContext, RETRY_COUNT_HEADER};
use ruststream::testing::Outcome;
use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Order, info, orders, publish_orders};
use crate::stand::Stand;

const PAUSE: Duration = Duration::from_secs(30);

/// Asks for a pause when the order cannot be settled yet.
#[subscriber(KinesisStream::new("orders"))]
async fn reconcile(order: &Order) -> HandlerOutcome {
    if order.id.is_multiple_of(2) {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::retry_after(PAUSE)
    }
}

#[subscriber(KinesisStream::new("orders"))]
async fn never(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::retry()
}

#[subscriber(KinesisStream::new("orders"))]
async fn discard(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::drop()
}

#[derive(Serialize)]
struct Keyed {
    #[serde(rename = "partition-key")]
    key: &'static str,
    tenant: &'static str,
}

const ACME: Keyed = Keyed {
    key: "tenant-acme",
    tenant: "acme",
};

/// Names a position's codec and can do nothing.
struct Unused;

impl Codec for Unused {
    fn encode<T: Serialize>(&self, _: &T) -> Result<BytesMut, CodecError> {
        panic!("a copy is not encoded");
    }

    fn decode<T: DeserializeOwned>(&self, _: &[u8]) -> Result<T, CodecError> {
        panic!("a copy is not decoded");
    }
}

/// Says on each copy where its record was read.
struct RetriedFrom;

impl<C, Options> PublishTransform<ForReply<C>, Options> for RetriedFrom {
    type Destination = Reads;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, cx: &PublishContext<'_, C>) {
        let name = cx.name().to_owned();
        out.headers_mut().insert("x-retried-from", name);
    }
}

/// "`HandlerOutcome::retry_after(delay)` becomes a copy of the record published once the delay is
/// over"; for a stand whose clock is paused.
pub async fn a_delayed_retry_becomes_a_copy_once_the_delay_is_over(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(reconcile)
            .max_attempts(nonzero!(4))
            .dead_letter("orders.unsettled");
    });
    let streams = ["orders", "orders.unsettled"];
    let tb = stand.start(app, &streams).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[1]).await;
    broker.subscriber("orders").assert_called_once();
    for delivery in 2..=4 {
        tb.advance(PAUSE / 2).await.expect("half a pause settles");
        broker.subscriber("orders").assert_called(delivery - 1);
        tb.advance(PAUSE / 2).await.expect("the copy settles");
        broker.subscriber("orders").assert_called(delivery);
    }
    broker
        .published::<Order>("orders.unsettled")
        .assert_called_once()
        .with(&Order { id: 1 });
    tb.advance(PAUSE).await.expect("nothing is left");
    broker.subscriber("orders").assert_called(4);
    tb.shutdown().await.expect("the app stops");
}

/// "Under a declared cap `HandlerOutcome::retry()` becomes a published copy as well", and "the
/// stream a spent record leaves for, as it arrived, payload and headers".
pub async fn a_spent_record_leaves_as_it_arrived_payload_and_headers(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(never)
            .max_attempts(nonzero!(3))
            .dead_letter("orders.unsettled");
    });
    let streams = ["orders", "orders.unsettled"];
    let tb = stand.start(app, &streams).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    broker
        .publish_with_headers("orders", &Order { id: 5 }, &ACME)
        .await
        .expect("the reaction settles");
    broker.subscriber("orders").assert_called(3);
    broker
        .published::<Order>("orders")
        .assert_called(3)
        .with(&Order { id: 5 })
        .with_header(RETRY_COUNT_HEADER, "2");
    broker
        .published::<Order>("orders.unsettled")
        .assert_called_once()
        .with(&Order { id: 5 })
        .with_header("tenant", "acme")
        .with_header(PARTITION_KEY_HEADER, "tenant-acme");
    tb.shutdown().await.expect("the app stops");
}

/// "A cap declared without a dead letter checkpoints past the spent record instead".
pub async fn a_cap_without_a_dead_letter_retires_the_spent_record(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(never).max_attempts(nonzero!(2));
    });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[5, 6]).await;
    assert_eq!(
        broker.subscriber("orders").received::<Order>(),
        orders(&[5, 5, 6, 6])
    );
    tb.shutdown().await.expect("the app stops");
}

/// "`HandlerOutcome::retry()` on a registration that declares a dead-letter stream publishes a
/// counted copy", which without a cap is the dead letter itself.
pub async fn a_dead_letter_without_a_cap_takes_the_first_retry(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(never).dead_letter("orders.unsettled");
    });
    let streams = ["orders", "orders.unsettled"];
    let tb = stand.start(app, &streams).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[5]).await;
    broker.subscriber("orders").assert_called_once();
    broker
        .published::<Order>("orders.unsettled")
        .assert_called_once()
        .with(&Order { id: 5 });
    tb.shutdown().await.expect("the app stops");
}

/// "`HandlerOutcome::drop()` checkpoints past the record, which is how a poison one is retired."
pub async fn a_dropped_record_is_retired(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(discard);
    });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[5, 6]).await;
    assert_eq!(
        broker.subscriber("orders").outcomes(),
        [Outcome::Drop, Outcome::Drop]
    );
    tb.shutdown().await.expect("the app stops");
}

/// "`.out_retry(policy)` replaces the publisher those copies leave through", and its
/// `partition_key(..)` ranks over the key of the record it copies, which no caller wrote.
pub async fn a_retry_copy_takes_the_key_its_policy_names(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(never)
            .max_attempts(nonzero!(2))
            .dead_letter("orders.unsettled")
            .out_retry(Publish::default())
            .partition_key("retries");
    });
    let streams = ["orders", "orders.unsettled"];
    let tb = stand.start(app, &streams).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    broker
        .publish_with_headers("orders", &Order { id: 5 }, &ACME)
        .await
        .expect("the reaction settles");
    let copies = broker.published::<Order>("orders").assert_called(2);
    assert_eq!(
        copies.messages()[0].headers().get(PARTITION_KEY_HEADER),
        Some(b"tenant-acme".as_slice())
    );
    copies
        .with_header(PARTITION_KEY_HEADER, "retries")
        .with_header("tenant", "acme");
    broker
        .published::<Order>("orders.unsettled")
        .assert_called_once()
        .with_header(PARTITION_KEY_HEADER, "retries");
    tb.shutdown().await.expect("the app stops");
}

/// "The position is an ordinary `Out` slot, so the chain then takes `.codec(..)`, `.transform(..)`
/// and `partition_key(..)`. The copy carries the record's own bytes, so the codec resolves the
/// position and encodes nothing."
pub async fn a_retry_copy_takes_the_transform_and_the_key_of_its_slot_and_no_codec(
    stand: impl Stand,
) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(never)
            .max_attempts(nonzero!(2))
            .out_retry(Publish::default())
            .codec(Unused)
            .transform(RetriedFrom)
            .partition_key("retries");
    });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[5]).await;
    broker
        .published::<Order>("orders")
        .assert_called(2)
        .with(&Order { id: 5 })
        .with_header("x-retried-from", "orders")
        .with_header(PARTITION_KEY_HEADER, "retries");
    tb.shutdown().await.expect("the app stops");
}

//! "The partition key".

use futures::future::join_all;
use ruststream::runtime::{Outgoing, SlotContext};
use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Order, info, orders, publish_orders};
use crate::stand::Stand;

#[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
struct Journalled {
    order: u64,
}

/// The slot the journal entries leave through.
#[derive(OutSlot)]
#[publishes(Journalled)]
struct Journal;

/// The bound on the options type is what puts the step within reach.
#[subscriber(KinesisStream::new("orders"))]
async fn record(
    order: &Order,
    Out(journal): Out<impl Publisher<Options = KinesisPublishOptions>, Journal>,
) -> HandlerOutcome {
    let sent = journal
        .message(&Journalled { order: order.id })
        .to("orders.journal")
        .partition_key("tenant-acme")
        .publish()
        .await;
    if sent.is_err() {
        return HandlerOutcome::retry();
    }
    HandlerOutcome::ack()
}

/// A body that names no key keeps the plain bound and moves between brokers untouched.
#[subscriber(KinesisStream::new("orders"))]
async fn record_anywhere(
    order: &Order,
    Out(journal): Out<impl Publisher, Journal>,
) -> HandlerOutcome {
    let sent = journal
        .message(&Journalled { order: order.id })
        .to("orders.journal")
        .publish()
        .await;
    if sent.is_err() {
        return HandlerOutcome::retry();
    }
    HandlerOutcome::ack()
}

/// One lane a key: the orders of one key keep their order whatever the others do.
#[subscriber(KinesisStream::new("orders"), workers(2, by_key))]
async fn in_lanes(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    tokio::task::yield_now().await;
    HandlerOutcome::ack()
}

/// Stamps what leaves the slot.
struct Version;

impl<Options> PublishTransform<ForSlot, Options> for Version {
    type Destination = Reads;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &SlotContext<'_>) {
        out.headers_mut().insert("x-version", "2");
    }
}

#[derive(Serialize)]
struct ByKey {
    #[serde(rename = "partition-key")]
    key: &'static str,
}

/// "`partition-key`, where `IncomingMessage::partition_key` and the framework's per-key dispatch
/// find the key".
pub async fn the_per_key_dispatch_finds_the_key(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(in_lanes);
    });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let sent = [
        ("a", 1),
        ("b", 101),
        ("a", 2),
        ("b", 102),
        ("a", 3),
        ("b", 103),
    ];
    let sent = sent.map(|(key, id)| (Order { id }, ByKey { key }));
    let published = sent
        .iter()
        .map(|(order, key)| broker.publish_with_headers("orders", order, key));
    for published in join_all(published).await {
        published.expect("the reaction settles");
    }
    let received = broker.subscriber("orders").received::<Order>();
    let (b, a): (Vec<_>, Vec<_>) = received.into_iter().partition(|order| order.id > 100);
    assert_eq!(a, orders(&[1, 2, 3]));
    assert_eq!(b, orders(&[101, 102, 103]));
    tb.shutdown().await.expect("the app stops");
}

/// "the record still leaves through the entry the mount site named: that entry's codec still
/// encodes it, the transforms on it still run, and a test still attributes the publish to that entry's slot".
pub async fn a_keyed_publish_leaves_through_its_slot(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(record)
            .out(Journal, Publish::default())
            .transform(Version)
            .build();
    });
    let streams = ["orders", "orders.journal"];
    let tb = stand.start(app, &streams).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[7]).await;
    let options = KinesisPublishOptions {
        partition_key: Some("tenant-acme".to_owned()),
    };
    tb.out::<Journal>()
        .decoded_as::<Journalled>()
        .assert_called_once()
        .with(&Journalled { order: 7 })
        .with_options(&options);
    broker
        .published::<Journalled>("orders.journal")
        .assert_called_once()
        .with(&Journalled { order: 7 })
        .with_header("x-version", "2")
        .with_options(&options);
    broker
        .subscriber("orders")
        .assert_called_once()
        .settled(HandlerOutcome::ack());
    tb.shutdown().await.expect("the app stops");
}

/// "A body that names no key keeps the framework's prelude and the plain bound", and its records
/// take the key the mount site named on the policy.
pub async fn a_publish_without_a_step_takes_the_key_of_the_policy(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(record_anywhere)
            .out(Journal, Publish::default().partition_key("journal"))
            .build();
    });
    let streams = ["orders", "orders.journal"];
    let tb = stand.start(app, &streams).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[7]).await;
    broker
        .published::<Journalled>("orders.journal")
        .assert_called_once()
        .with_header(PARTITION_KEY_HEADER, "journal");
    tb.shutdown().await.expect("the app stops");
}

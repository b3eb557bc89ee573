//! "Replies".

use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Order, info};
use crate::stand::Stand;

/// A receipt always goes to the receipts stream, so the type is where that stream is named.
#[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "receipts")]
struct Receipt {
    order: u64,
}

#[subscriber(KinesisStream::new("orders"), reply)]
async fn confirm(order: &Order) -> Receipt {
    Receipt { order: order.id }
}

/// The example: the policy names the key, since a reply has no call site to put a step on.
pub async fn a_reply_takes_the_key_its_policy_names(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(confirm)
            .out_reply(Publish::default())
            .partition_key("receipts-v1");
    });
    let streams = ["orders", "receipts"];
    let tb = stand.start(app, &streams).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    for id in [7, 8] {
        let published = broker.message(&Order { id }).publish().await;
        published.expect("the reaction settles");
        broker
            .published::<Receipt>("receipts")
            .with(&Receipt { order: id })
            .with_header(PARTITION_KEY_HEADER, "receipts-v1");
    }
    broker.published::<Receipt>("receipts").assert_called(2);
    tb.shutdown().await.expect("the app stops");
}

/// "It is also this broker's default policy, so a replying handler mounted without an explicit
/// policy replies through it."
pub async fn a_reply_without_a_policy_leaves_through_the_default_one(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(confirm);
    });
    let streams = ["orders", "receipts"];
    let tb = stand.start(app, &streams).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let published = broker.message(&Order { id: 7 }).publish().await;
    published.expect("the reaction settles");
    broker
        .published::<Receipt>("receipts")
        .assert_called_once()
        .with(&Receipt { order: 7 })
        .assert_options_default();
    tb.shutdown().await.expect("the app stops");
}

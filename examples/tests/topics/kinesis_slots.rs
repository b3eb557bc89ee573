//! Slots.

use ruststream::testing::TestApp;
use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish};

#[path = "../../kinesis_slots.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_slots.rs"]
mod manual;

both!(
    app(): every_order_is_in_the_journal_under_one_key,
    a_large_order_raises_an_alert_and_a_small_one_does_not,
);

async fn every_order_is_in_the_journal_under_one_key(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    for id in [7, 8] {
        publish(&broker, "orders", &json!({ "id": id, "cents": 1 })).await;
        broker.subscriber("orders").settled(HandlerOutcome::ack());
        broker
            .published::<Value>("orders.journal")
            .with(&json!({ "order": id }))
            .with_header(PARTITION_KEY_HEADER, "journal");
    }
    broker.published::<Value>("orders.journal").assert_called(2);
}

async fn a_large_order_raises_an_alert_and_a_small_one_does_not(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    for (id, cents) in [(1, 99_999), (2, 100_000)] {
        publish(&broker, "orders", &json!({ "id": id, "cents": cents })).await;
    }
    broker
        .published::<Value>("orders.alerts")
        .assert_called_once()
        .with(&json!({ "order": 2, "cents": 100_000 }));
}

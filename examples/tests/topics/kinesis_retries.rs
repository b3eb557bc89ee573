//! The cap and the dead letter.

use std::time::Duration;

use ruststream::runtime::RETRY_COUNT_HEADER;
use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish};

#[path = "../../kinesis_retries.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_retries.rs"]
mod manual;

const PATIENCE: Duration = Duration::from_secs(30);

both!(
    app(): a_paid_order_is_shipped_at_its_first_delivery,
    an_unpaid_order_is_delivered_four_times_and_leaves_for_the_dead_letter,
);

async fn a_paid_order_is_shipped_at_its_first_delivery(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    publish(&broker, "orders", &json!({ "id": 1, "paid": true })).await;
    tb.advance(PATIENCE).await.expect("nothing is left");
    broker
        .subscriber("orders")
        .assert_called_once()
        .settled(HandlerOutcome::ack());
    broker
        .published::<Value>("orders.unpaid")
        .assert_not_called();
}

async fn an_unpaid_order_is_delivered_four_times_and_leaves_for_the_dead_letter(
    tb: &TestApp<impl AppState>,
) {
    let broker = tb.broker::<KinesisBroker>();
    let order = json!({ "id": 2, "paid": false });
    publish(&broker, "orders", &order).await;
    for deliveries in 1..4 {
        broker.subscriber("orders").assert_called(deliveries);
        broker
            .published::<Value>("orders.unpaid")
            .assert_not_called();
        tb.advance(PATIENCE).await.expect("the copy settles");
        broker
            .published::<Value>("orders")
            .with(&order)
            .with_header(RETRY_COUNT_HEADER, deliveries.to_string());
    }
    broker.subscriber("orders").assert_called(4);
    broker
        .published::<Value>("orders.unpaid")
        .assert_called_once()
        .with(&order);
    tb.advance(PATIENCE).await.expect("nothing is left");
    broker.subscriber("orders").assert_called(4);
}

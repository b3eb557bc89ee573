//! The first service.

use ruststream::testing::{Outcome, TestApp};
use ruststream_kinesis::prelude::*;
use serde_json::json;

use crate::support::{AppState, both, publish};

#[path = "../../kinesis_first_service.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_first_service.rs"]
mod manual;

both!(app(): an_order_is_handled_once_and_acknowledged, a_record_that_is_no_order_reaches_no_handler);

async fn an_order_is_handled_once_and_acknowledged(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let order = json!({ "id": 7, "cents": 1250 });
    publish(&broker, "orders", &order).await;
    broker
        .subscriber("orders")
        .assert_called_once()
        .with(&order)
        .settled(HandlerOutcome::ack());
}

async fn a_record_that_is_no_order_reaches_no_handler(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    publish(&broker, "orders", &json!({ "id": "seven" })).await;
    publish(&broker, "orders", &json!({ "id": 8, "cents": 1 })).await;
    let outcomes = broker.subscriber("orders").outcomes();
    assert_eq!(outcomes, [Outcome::DecodeFailed, Outcome::Ack]);
}

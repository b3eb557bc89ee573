//! The four outcomes. In process there is no lease to wait for, so what holds the checkpoint is
//! handed over again at once, and what does not is not.

use std::time::Duration;

use ruststream::testing::{Outcome, TestApp, TestError};
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish};

#[path = "../../kinesis_settlement.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_settlement.rs"]
mod manual;

const NEXT_DELIVERY: Duration = Duration::from_mins(10);

both!(
    app(): an_order_that_is_handled_or_dropped_never_comes_back,
    an_order_that_waits_comes_back_as_a_copy_at_the_tip,
    an_order_that_must_not_be_lost_holds_the_checkpoint_and_is_not_copied,
);

fn order(stock: &str) -> Value {
    json!({ "id": 7, "stock": stock })
}

async fn an_order_that_is_handled_or_dropped_never_comes_back(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    publish(&broker, "orders", &order("available")).await;
    broker.subscriber("orders").settled(HandlerOutcome::ack());
    publish(&broker, "orders", &order("discontinued")).await;
    broker.subscriber("orders").settled(HandlerOutcome::drop());
    tb.advance(NEXT_DELIVERY).await.expect("nothing is left");
    broker.subscriber("orders").assert_called(2);
    broker.published::<Value>("orders").assert_called(2);
}

async fn an_order_that_waits_comes_back_as_a_copy_at_the_tip(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    publish(&broker, "orders", &order("on_the_way")).await;
    broker
        .subscriber("orders")
        .settled(HandlerOutcome::retry_after(NEXT_DELIVERY));
    publish(&broker, "orders", &order("available")).await;
    broker.published::<Value>("orders").assert_called(2);
    tb.advance(NEXT_DELIVERY).await.expect("the copy settles");
    let read = broker.subscriber("orders").received::<Value>();
    let expected = ["on_the_way", "available", "on_the_way"].map(order);
    assert_eq!(read, expected);
    broker
        .published::<Value>("orders")
        .assert_called(3)
        .with(&order("on_the_way"));
}

async fn an_order_that_must_not_be_lost_holds_the_checkpoint_and_is_not_copied(
    tb: &TestApp<impl AppState>,
) {
    let broker = tb.broker::<KinesisBroker>();
    // It is handed over again and again, so nothing ever settles.
    let published = broker.publish("orders", &order("unknown")).await;
    assert!(
        matches!(published, Err(TestError::NotQuiescent { .. })),
        "{published:?}"
    );
    let outcomes = broker.subscriber("orders").outcomes();
    assert!(outcomes.len() > 1);
    assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Nack));
    broker.published::<Value>("orders").assert_called_once();
}

//! The ladder of the partition key.

use std::collections::HashSet;
use std::time::Duration;

use ruststream::testing::TestApp;
use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish};

#[path = "../../kinesis_partition_key.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_partition_key.rs"]
mod manual;

const PAUSE: Duration = Duration::from_secs(5);

both!(
    app(): the_step_goes_before_the_header_and_the_header_before_the_policy,
    a_record_without_a_key_gets_one_of_its_own,
    an_order_that_cannot_be_announced_is_tried_again_and_given_up,
);

fn order(id: u64) -> Value {
    json!({ "id": id, "customer": "ada", "region": "north" })
}

async fn the_step_goes_before_the_header_and_the_header_before_the_policy(
    tb: &TestApp<impl AppState>,
) {
    let broker = tb.broker::<KinesisBroker>();
    publish(&broker, "orders", &order(7)).await;
    broker
        .subscriber("orders")
        .assert_called_once()
        .settled(HandlerOutcome::ack());
    for (stream, key) in [
        ("orders.by-customer", "ada"),
        ("orders.by-region", "north"),
        ("orders.ledger", "ledger"),
    ] {
        broker
            .published::<Value>(stream)
            .assert_called_once()
            .with(&json!({ "order": 7 }))
            .with_header(PARTITION_KEY_HEADER, key);
    }
}

async fn a_record_without_a_key_gets_one_of_its_own(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    for id in 1..=8 {
        publish(&broker, "orders", &order(id)).await;
    }
    let counted = broker.published::<Value>("orders.count").assert_called(8);
    let keys: HashSet<_> = counted
        .messages()
        .iter()
        .filter_map(|record| record.headers().get_str(PARTITION_KEY_HEADER))
        .collect();
    assert_eq!(keys.len(), 8);
}

async fn an_order_that_cannot_be_announced_is_tried_again_and_given_up(
    tb: &TestApp<impl AppState>,
) {
    let broker = tb.broker::<KinesisBroker>();
    // A key is 256 characters at most, and this one is the customer's.
    let refused = json!({ "id": 7, "customer": "a".repeat(257), "region": "north" });
    publish(&broker, "orders", &refused).await;
    for deliveries in 2..=4 {
        tb.advance(PAUSE).await.expect("the copy settles");
        broker.subscriber("orders").assert_called(deliveries);
    }
    broker
        .published::<Value>("orders.unannounced")
        .assert_called_once()
        .with(&refused);
}

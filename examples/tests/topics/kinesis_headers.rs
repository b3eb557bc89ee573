//! The headers.

use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish, publish_with};

#[path = "../../kinesis_headers.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_headers.rs"]
mod manual;

both!(
    app(): a_handler_reads_where_its_record_is_whatever_was_written_under_these_names,
    a_header_comes_in_and_goes_out,
    an_order_without_a_tenant_is_dropped,
);

async fn a_handler_reads_where_its_record_is_whatever_was_written_under_these_names(
    tb: &TestApp<impl AppState>,
) {
    let broker = tb.broker::<KinesisBroker>();
    let headers = json!({
        "tenant": "acme",
        "partition-key": "customer-7",
        "kinesis-shard-id": "shardId-000000000009",
    });
    publish_with(&broker, "orders", &json!({ "id": 7 }), &headers).await;
    let lines = broker.published::<Value>("orders.audit").decoded();
    let read_from = lines[0]["read_from"].as_str().expect("a text");
    let [shard, sequence, key] = read_from.split(' ').collect::<Vec<_>>()[..] else {
        panic!("three headers, not {read_from}");
    };
    assert_eq!((shard, key), ("shardId-000000000000", "customer-7"));
    assert!(sequence.len() > 40 && sequence.bytes().all(|byte| byte.is_ascii_digit()));
}

async fn a_header_comes_in_and_goes_out(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let tenant = json!({ "tenant": "acme" });
    publish_with(&broker, "orders", &json!({ "id": 8 }), &tenant).await;
    broker.subscriber("orders").settled(HandlerOutcome::ack());
    broker
        .published::<Value>("orders.audit")
        .assert_called_once()
        .with_header("tenant", "acme");
}

async fn an_order_without_a_tenant_is_dropped(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    publish(&broker, "orders", &json!({ "id": 9 })).await;
    broker
        .subscriber("orders")
        .assert_called_once()
        .settled(HandlerOutcome::drop());
    broker
        .published::<Value>("orders.audit")
        .assert_not_called();
}

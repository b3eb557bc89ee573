//! The publisher of retry copies.

use ruststream::testing::TestApp;
use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish_with};

#[path = "../../kinesis_out_retry.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_out_retry.rs"]
mod manual;

both!(
    app(): a_charge_within_the_limit_is_not_copied,
    every_copy_and_the_dead_letter_have_the_key_of_the_policy,
);

async fn a_charge_within_the_limit_is_not_copied(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let key = json!({ "partition-key": "customer-7" });
    publish_with(
        &broker,
        "charges",
        &json!({ "id": 1, "cents": 10_000 }),
        &key,
    )
    .await;
    broker
        .subscriber("charges")
        .assert_called_once()
        .settled(HandlerOutcome::ack());
    broker.published::<Value>("charges").assert_called_once();
}

async fn every_copy_and_the_dead_letter_have_the_key_of_the_policy(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let charge = json!({ "id": 2, "cents": 10_001 });
    let key = json!({ "partition-key": "customer-7" });
    publish_with(&broker, "charges", &charge, &key).await;
    broker.subscriber("charges").assert_called(3);
    let written = broker.published::<Value>("charges").assert_called(3);
    let keys: Vec<_> = written
        .messages()
        .iter()
        .filter_map(|record| record.headers().get_str(PARTITION_KEY_HEADER))
        .collect();
    assert_eq!(keys, ["customer-7", "retries", "retries"]);
    broker
        .published::<Value>("charges.refused")
        .assert_called_once()
        .with(&charge)
        .with_header(PARTITION_KEY_HEADER, "retries");
}

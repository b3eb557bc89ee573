//! Batches.

use std::time::Duration;

use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish_together};

#[path = "../../kinesis_batches.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_batches.rs"]
mod manual;

both!(
    app(): one_outcome_settles_all_records_of_a_batch,
    a_batch_has_as_many_records_as_the_mount_site_says,
    only_what_has_not_cleared_comes_back_after_the_pause,
);

async fn one_outcome_settles_all_records_of_a_batch(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let readings = [("hall", 18.5), ("roof", -3.0), ("cellar", 11.0)]
        .map(|(sensor, celsius)| json!({ "sensor": sensor, "celsius": celsius }));
    publish_together(&broker, "readings", &readings).await;
    broker
        .subscriber("readings")
        .assert_batch_sizes(&[3])
        .settled(HandlerOutcome::ack());
}

fn payment(id: u64, cleared: bool) -> Value {
    json!({ "id": id, "cleared": cleared })
}

async fn a_batch_has_as_many_records_as_the_mount_site_says(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let payments: Vec<_> = (1..=7).map(|id| payment(id, true)).collect();
    publish_together(&broker, "payments", &payments).await;
    broker
        .subscriber("payments")
        .assert_batch_sizes(&[3, 3, 1])
        .settled(HandlerOutcome::ack());
}

async fn only_what_has_not_cleared_comes_back_after_the_pause(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let payments = [payment(1, true), payment(2, false), payment(3, true)];
    publish_together(&broker, "payments", &payments).await;
    tb.advance(Duration::from_secs(30))
        .await
        .expect("it settles");
    let batches = broker.subscriber("payments").batches::<Value>();
    assert_eq!(batches, [payments.to_vec(), vec![payment(2, false)]]);
}

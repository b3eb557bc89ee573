//! The context of a delivery.

use std::time::UNIX_EPOCH;

use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish, publish_together};

#[path = "../../kinesis_context.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_context.rs"]
mod manual;

both!(
    app(): a_handler_knows_the_position_of_its_record,
    a_handler_with_both_keys_leaves_a_backlog_that_is_worthless,
);

fn reading(value: u64, age_seconds: u64) -> Value {
    let now = UNIX_EPOCH.elapsed().expect("it is past 1970").as_secs();
    json!({ "gauge": "boiler", "value": value, "read_at": now - age_seconds })
}

async fn a_handler_knows_the_position_of_its_record(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    for id in [7, 8] {
        publish(&broker, "rows", &json!({ "id": id })).await;
    }
    let found = broker.published::<Value>("rows.found").decoded();
    let rows: Vec<_> = found.iter().map(|found| &found["row"]).collect();
    assert_eq!(rows, [7, 8]);
    assert!(
        found
            .iter()
            .all(|found| found["shard"] == "shardId-000000000000")
    );
    let number = |at: usize| found[at]["sequence"].as_str().map(str::parse::<u128>);
    assert_ne!(found[0]["sequence"], found[1]["sequence"]);
    assert!(number(0).is_some());
}

async fn a_handler_with_both_keys_leaves_a_backlog_that_is_worthless(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let backlog = [reading(1, 30), reading(2, 300), reading(3, 200)];
    publish_together(&broker, "gauges", &backlog).await;
    publish(&broker, "gauges", &reading(4, 0)).await;
    broker.subscriber("gauges").settled(HandlerOutcome::ack());
    let read = broker.subscriber("gauges").received::<Value>();
    let values: Vec<_> = read.iter().map(|reading| &reading["value"]).collect();
    assert_eq!(values, [1, 2, 4]);
}

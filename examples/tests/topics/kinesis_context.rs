//! The context of a delivery.

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
    a_handler_with_both_keys_leaves_the_rest_of_a_broken_file,
);

fn row(id: u64, sound: bool) -> Value {
    json!({ "id": id, "sound": sound })
}

async fn a_handler_knows_the_position_of_its_record(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    for id in [7, 8] {
        publish(&broker, "rows", &row(id, true)).await;
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

async fn a_handler_with_both_keys_leaves_the_rest_of_a_broken_file(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let file = [row(1, true), row(2, false), row(3, true), row(4, true)];
    publish_together(&broker, "imports", &file).await;
    publish(&broker, "imports", &row(5, true)).await;
    broker.subscriber("imports").settled(HandlerOutcome::ack());
    let read = broker.subscriber("imports").received::<Value>();
    assert_eq!(read, [row(1, true), row(2, false), row(5, true)]);
}

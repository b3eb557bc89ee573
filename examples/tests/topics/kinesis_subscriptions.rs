//! The ways to name a stream.

use ruststream::asyncapi::build_spec;
use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;
use serde_json::json;

use crate::support::{AppState, both, publish};

#[path = "../../kinesis_subscriptions.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_subscriptions.rs"]
mod manual;

const REFUNDS: &str = "arn:aws:kinesis:eu-west-1:123456789012:stream/refunds";

both!(app(): each_stream_has_its_handler, a_record_reaches_a_stream_that_is_named_by_its_arn);

async fn each_stream_has_its_handler(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    for (id, stream) in (1..).zip(["orders", "payments", "shipments", "returns"]) {
        let event = json!({ "id": id });
        publish(&broker, stream, &event).await;
        broker
            .subscriber(stream)
            .assert_called_once()
            .with(&event)
            .settled(HandlerOutcome::ack());
    }
}

async fn a_record_reaches_a_stream_that_is_named_by_its_arn(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    for stream in ["refunds", REFUNDS] {
        publish(&broker, stream, &json!({ "id": 1 })).await;
    }
    broker
        .subscriber(REFUNDS)
        .assert_called(2)
        .settled(HandlerOutcome::ack());
}

#[test]
fn each_subscription_reads_with_the_settings_it_names() {
    for document in [build_spec(&example::app()), build_spec(&manual::app())] {
        let document = serde_json::to_value(document).expect("the document is JSON");
        for (stream, settings) in [
            (
                "payments",
                json!({ "pollIntervalMs": 250, "stream": "payments" }),
            ),
            (
                "shipments",
                json!({ "pollIntervalMs": 250, "stream": "shipments" }),
            ),
            (
                "returns",
                json!({ "pollIntervalMs": 1000, "shardCount": 2, "stream": "returns" }),
            ),
            (
                REFUNDS,
                json!({ "pollIntervalMs": 1000, "stream": REFUNDS }),
            ),
        ] {
            let shown = &document["channels"][stream]["bindings"]["x-ruststream-kinesis"];
            assert_eq!(*shown, settings, "{stream}");
        }
    }
}

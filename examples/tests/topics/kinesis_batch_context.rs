//! The context of a batch.

use std::time::Duration;

use ruststream::testing::{Outcome, TestApp};
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{AppState, both, publish, publish_together};

#[path = "../../kinesis_batch_context.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_batch_context.rs"]
mod manual;

both!(app(): a_batch_that_was_refused_is_read_again_from_its_first_record_after_a_pause);

async fn a_batch_that_was_refused_is_read_again_from_its_first_record_after_a_pause(
    tb: &TestApp<impl AppState>,
) {
    let broker = tb.broker::<KinesisBroker>();
    let readings = [1.5, 2.5, 3.5].map(|celsius| json!({ "celsius": celsius }));
    let started = Instant::now();
    publish_together(&broker, "readings", &readings).await;
    assert!(started.elapsed() >= Duration::from_secs(5));
    let later = json!({ "celsius": 4.5 });
    publish(&broker, "readings", &later).await;
    let batches = broker.subscriber("readings").batches::<Value>();
    assert_eq!(batches, [readings.to_vec(), readings.to_vec(), vec![later]]);
    let outcomes = broker.subscriber("readings").outcomes();
    assert_eq!(outcomes, [Outcome::Ack; 3]);
    broker.published::<Value>("readings").assert_called(4);
}

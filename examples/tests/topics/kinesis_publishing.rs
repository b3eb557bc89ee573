//! Publishing from outside of a handler.

use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisError, PARTITION_KEY_HEADER};
use serde_json::{Value, json};

#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../kinesis_publishing.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_publishing.rs"]
mod manual;

macro_rules! reports {
    ($file:ident) => {{
        let broker = KinesisBroker::new();
        let publisher = broker.publisher();
        let refused = $file::report(&publisher, "roof", 1.0).await;
        let refused = refused.expect_err("nothing is connected yet");
        assert_not_connected(&refused.to_string());
        let tb = TestApp::start($file::service(broker)).await.expect("the app starts");
        for (sensor, celsius) in [("roof", -3.5), ("hall", 18.0)] {
            $file::report(&publisher, sensor, celsius).await.expect("the log takes it");
            tb.settle().await.expect("what it set off settles");
            let reading = json!({ "sensor": sensor, "celsius": celsius });
            let broker = tb.broker::<KinesisBroker>();
            broker
                .published::<Value>("readings")
                .with(&reading)
                .with_header(PARTITION_KEY_HEADER, sensor);
            broker
                .subscriber("readings")
                .with(&reading)
                .settled(HandlerOutcome::ack());
        }
        tb.broker::<KinesisBroker>().subscriber("readings").assert_called(2);
        tb.shutdown().await.expect("the app stops");
        let refused = $file::report(&publisher, "roof", 1.0).await;
        let refused = refused.expect_err("nothing is connected any more");
        assert_not_connected(&refused.to_string());
    }};
}

#[track_caller]
fn assert_not_connected(refused: &str) {
    assert!(
        refused.contains(&KinesisError::NotConnected.to_string()),
        "{refused}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_publisher_writes_from_the_start_of_the_app_until_its_end() {
    reports!(example);
    reports!(manual);
}

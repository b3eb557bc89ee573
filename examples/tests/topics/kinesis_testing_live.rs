//! One test body for both modes. The tests of both forms stand at the end of their files and run
//! here as well.

#[path = "../../kinesis_testing_live.rs"]
mod example;
#[path = "../../manual/kinesis_testing_live.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use kinesis_stack::On;
use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::KinesisBroker;
use serde_json::json;

use crate::embedded::{self, Tested};

#[tokio::test]
async fn a_live_test_writes_to_the_service() -> Tested {
    for service in [
        example::service as fn(KinesisBroker) -> RustStream,
        manual::service,
    ] {
        let stack = embedded::stack(1);
        let tb = TestApp::start_live(service(embedded::broker(&stack))).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        let puts = |stream| {
            stack
                .calls()
                .count(&On::operation("PutRecord").stream(stream))
        };
        assert_eq!((puts("orders"), puts("receipts")), (1, 1));
        tb.shutdown().await?;
    }
    Ok(())
}

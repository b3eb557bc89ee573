//! A service tested in process. The tests of both forms stand at the end of their files and run
//! here as well.

#[path = "../../kinesis_testing.rs"]
mod example;
#[path = "../../manual/kinesis_testing.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::KinesisBroker;
use serde_json::{Value, json};

use crate::embedded::Tested;

#[tokio::test]
async fn only_a_paid_order_gets_a_receipt() -> Tested {
    for app in [example::app as fn() -> RustStream, manual::app] {
        let tb = TestApp::start(app()).await?;
        let broker = tb.broker::<KinesisBroker>();
        for (id, paid) in [(1, false), (2, true)] {
            let order = json!({"id": id, "paid": paid});
            broker.publish("orders", &order).await?;
        }
        let receipts = broker.published::<Value>("receipts");
        receipts.assert_called_once().with(&json!({"order": 2}));
        tb.shutdown().await?;
    }
    Ok(())
}

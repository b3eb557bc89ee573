//! The service of the template on the embedded stack, with leases in a table as its program has
//! them. Its own tests run in a copy of it: see `.ci/run`.

#[path = "../../template/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a library where it stands")]
mod orders;

use std::sync::Arc;

use kinesis_stack::{DynamoStack, On};
use ruststream::testing::TestApp;
use ruststream_kinesis::{DynamoLeaseStore, KinesisBroker, LeaseKey, LeaseStore};

use self::orders::handlers::{Order, Receipt};
use crate::embedded::{self, Tested};

#[tokio::test]
async fn a_paid_order_gets_a_receipt_and_a_checkpoint_in_the_table() -> Tested {
    let (kinesis, dynamodb) = (embedded::stack(1), DynamoStack::start());
    let config = embedded::config(dynamodb.endpoint());
    let leases =
        Arc::new(DynamoLeaseStore::new(&config, "orders-leases").create_table_if_missing());
    let broker = embedded::broker(&kinesis).lease_store(leases.clone());

    let tb = TestApp::start_live(orders::service(broker)).await?;
    let order = Order {
        id: 7,
        cents: 1250,
        paid: true,
    };
    let broker = tb.broker::<KinesisBroker>();
    broker.message(&order).publish().await?;
    let receipt = Receipt {
        order: 7,
        cents: 1250,
    };
    let receipts = broker.published::<Receipt>("receipts");
    receipts.assert_called_once().with(&receipt);
    let written = On::operation("PutRecord").stream("receipts");
    assert_eq!(kinesis.calls().count(&written), 1);
    tb.shutdown().await?;

    let key = LeaseKey::new("orders", "shardId-000000000000");
    let state = leases.read(&key).await?;
    assert!(state.checkpoint.is_some(), "{state:?}");
    assert_eq!(state.owner, None, "the lease is handed back");
    Ok(())
}

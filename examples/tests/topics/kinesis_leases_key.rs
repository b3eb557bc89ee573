//! The rows of a lease store, by stream and shard.

#[path = "../../kinesis_leases_key.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_leases_key.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use std::sync::Arc;

use ruststream::testing::TestApp;
use ruststream_kinesis::{KinesisBroker, MemoryLeaseStore};
use serde_json::json;

use crate::embedded::{self, Tested};

#[tokio::test]
async fn each_stream_has_its_own_handler() -> Tested {
    for (form, service) in [
        ("example", example::service as fn(_, _) -> _),
        ("manual", manual::service),
    ] {
        println!("{form}");
        let leases = Arc::new(MemoryLeaseStore::new());
        let tb = TestApp::start(service(KinesisBroker::new(), leases)).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("refunds", &json!({"cents": 250})).await?;
        broker.subscriber("refunds").assert_called_once();
        broker.subscriber("orders").assert_not_called();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_checkpoint_is_found_under_its_stream_alone() -> Tested {
    for (form, service) in [
        ("example", example::service as fn(_, _) -> _),
        ("manual", manual::service),
    ] {
        println!("{form}");
        let stack = embedded::stack(1);
        let leases = Arc::new(MemoryLeaseStore::new());
        let app = service(embedded::broker(&stack), leases.clone());
        let tb = TestApp::start_live(app).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"cents": 999})).await?;
        tb.shutdown().await?;

        let orders = example::first_shard(&*leases, "orders").await?;
        let (key, checkpoint) = orders.split_once("  ").expect("a key and a checkpoint");
        assert_eq!(key, "orders:shardId-000000000000");
        assert!(
            checkpoint.bytes().all(|byte| byte.is_ascii_digit()),
            "{orders}"
        );
        let refunds = manual::first_shard(&*leases, "refunds").await?;
        assert_eq!(refunds, "refunds:shardId-000000000000  no checkpoint yet");
    }
    Ok(())
}

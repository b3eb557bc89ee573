//! A lease store of one's own choice.

#[path = "../../kinesis_leases_store.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_leases_store.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use std::sync::Arc;

use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::{KinesisBroker, LeaseStore, MemoryLeaseStore};
use serde_json::json;

use crate::embedded::{self, Tested, until};

type Service = fn(KinesisBroker, Arc<dyn LeaseStore>) -> RustStream;

const FORMS: [(&str, Service); 2] = [("example", example::service), ("manual", manual::service)];

#[tokio::test]
async fn a_change_is_applied() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        let leases = Arc::new(MemoryLeaseStore::new());
        let tb = TestApp::start(service(KinesisBroker::new(), leases)).await?;
        let change = json!({"article": "lamp", "pieces": -1});
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("inventory", &change).await?;
        broker
            .subscriber("inventory")
            .assert_called_once()
            .with(&change);
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn two_instances_on_one_store_split_the_shards() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        let stack = embedded::stack(4);
        let leases: Arc<dyn LeaseStore> = Arc::new(MemoryLeaseStore::new());
        let brokers = [embedded::broker(&stack), embedded::broker(&stack)];
        let monitors = brokers.each_ref().map(KinesisBroker::monitor);
        let mut running = Vec::new();
        for broker in brokers {
            running.push(service(broker, Arc::clone(&leases)).start().await?);
        }
        let shares = || monitors.each_ref().map(embedded::shards);
        until(async || shares().iter().all(|shards| shards.len() == 2)).await;
        let mut all = shares().concat();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4, "each shard is read by one of them: {all:?}");
        for instance in running {
            instance.shutdown().await?;
        }
    }
    Ok(())
}

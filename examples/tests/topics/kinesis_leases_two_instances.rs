//! Two instances share the shards of a stream.

#[path = "../../kinesis_leases_two_instances.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_leases_two_instances.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use std::sync::Arc;

use kinesis_stack::DynamoStack;
use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::{
    DynamoLeaseStore, KinesisBroker, KinesisMonitor, LeaseStore, MemoryLeaseStore,
};
use serde_json::json;

use crate::embedded::{self, Tested, until};

type Service = fn(KinesisBroker, Arc<dyn LeaseStore>, &str) -> RustStream;
type Shards = fn(&KinesisMonitor) -> Vec<String>;

const FORMS: [(&str, Service, Shards); 2] = [
    ("example", example::service, example::shards),
    ("manual", manual::service, manual::shards),
];

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (form, service, _) in FORMS {
        println!("{form}");
        let leases = Arc::new(MemoryLeaseStore::new());
        let tb = TestApp::start(service(KinesisBroker::new(), leases, "a")).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_newcomer_gets_half_of_the_shards_and_all_once_it_is_alone() -> Tested {
    for (form, service, shards) in FORMS {
        println!("{form}");
        let (kinesis, dynamodb) = (embedded::stack(4), DynamoStack::start());
        // A store each, as two processes have: what they share is the table.
        let leases = || {
            let config = embedded::config(dynamodb.endpoint());
            Arc::new(DynamoLeaseStore::new(&config, "orders-leases").create_table_if_missing())
        };
        let brokers = [embedded::broker(&kinesis), embedded::broker(&kinesis)];
        let monitors = brokers.each_ref().map(KinesisBroker::monitor);
        let reads = || monitors.each_ref().map(|monitor| shards(monitor).len());
        let [a, b] = brokers;

        let a = service(a, leases(), "a").start().await?;
        assert_eq!(reads(), [4, 0]);
        let b = service(b, leases(), "b").start().await?;
        until(async || reads() == [2, 2]).await;
        a.shutdown().await?;
        until(async || reads() == [0, 4]).await;
        b.shutdown().await?;
    }
    Ok(())
}

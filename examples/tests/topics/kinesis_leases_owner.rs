//! The instance's name in the lease store.

#[path = "../../kinesis_leases_owner.rs"]
mod example;
#[path = "../../manual/kinesis_leases_owner.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use std::sync::Arc;

use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::{KinesisBroker, LeaseKey, LeaseStore, MemoryLeaseStore};
use serde_json::json;

use crate::embedded::{self, Tested};

type Service = fn(KinesisBroker, Option<String>) -> RustStream;

const FORMS: [(&str, Service); 2] = [("example", example::service), ("manual", manual::service)];

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (form, app) in [
        ("example", example::app as fn() -> RustStream),
        ("manual", manual::app),
    ] {
        println!("{form}");
        let tb = TestApp::start(app()).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_store_sees_the_name_and_a_number_of_each_process() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        let stack = embedded::stack(1);
        let leases = Arc::new(MemoryLeaseStore::new());
        let key = LeaseKey::new("orders", "shardId-000000000000");
        let mut seen = Vec::new();
        for _ in 0..2 {
            let broker = embedded::broker(&stack).lease_store(leases.clone());
            let instance = Some("orders-7".to_owned());
            let running = service(broker, instance).start().await?;
            let owner = leases.read(&key).await?.owner.expect("the shard is read");
            assert!(owner.starts_with("orders-7/"), "{owner}");
            seen.push(owner);
            running.shutdown().await?;
        }
        assert_ne!(seen[0], seen[1], "a restarted process is another owner");
    }
    Ok(())
}

#[tokio::test]
async fn an_instance_that_nobody_names_has_the_name_of_its_host() -> Tested {
    let mut names = Vec::new();
    for (form, service) in FORMS {
        println!("{form}");
        let stack = embedded::stack(1);
        let broker = embedded::broker(&stack);
        let monitor = broker.monitor();
        let running = service(broker, None).start().await?;
        let owner = monitor.streams().remove(0).owner;
        running.shutdown().await?;
        let (name, _) = owner.split_once('/').expect("a name and a number");
        assert!(!name.is_empty(), "{owner}");
        names.push(name.to_owned());
    }
    assert_eq!(names[0], names[1], "both run on this host");
    Ok(())
}

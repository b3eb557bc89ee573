//! A graceful stop. That a signal is one, the test binary `quickstart` shows.

#[path = "../../kinesis_broker_shutdown.rs"]
mod example;
#[path = "../../manual/kinesis_broker_shutdown.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use std::sync::Arc;

use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::{KinesisBroker, LeaseKey, LeaseStore, MemoryLeaseStore};
use serde_json::json;

use crate::embedded::{self, Tested, until};

type App = fn() -> RustStream;
type Service = fn(KinesisBroker) -> RustStream;

const FORMS: [(&str, App, Service); 2] = [
    ("example", example::app, example::service),
    ("manual", manual::app, manual::service),
];

#[tokio::test]
async fn an_order_is_packed() -> Tested {
    for (form, app, _) in FORMS {
        println!("{form}");
        let tb = TestApp::start(app()).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker
            .publish("orders", &json!({"id": 7, "items": 1}))
            .await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_is_being_packed_is_finished_and_the_lease_handed_back() -> Tested {
    for (form, _, service) in FORMS {
        println!("{form}");
        let stack = embedded::stack(1);
        let leases = Arc::new(MemoryLeaseStore::new());
        let broker = embedded::broker(&stack).lease_store(leases.clone());
        let monitor = broker.monitor();
        let running = service(broker).start().await?;

        let order = json!({"id": 7, "items": 20});
        let sequence = embedded::put(&stack, "orders", &order).await?;
        let unsettled = || {
            let streams = monitor.streams().into_iter();
            let shards = streams.flat_map(|stream| stream.shards);
            shards.map(|shard| shard.unsettled).sum::<u64>()
        };
        until(async || unsettled() == 1).await;
        running.shutdown().await?;

        let key = LeaseKey::new("orders", "shardId-000000000000");
        let state = leases.read(&key).await?;
        assert_eq!(state.checkpoint, Some(sequence), "it was finished");
        assert_eq!(state.owner, None, "the next owner need not wait");
    }
    Ok(())
}

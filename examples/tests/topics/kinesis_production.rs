//! Health, lag and a graceful stop. That a signal is one, the test binary `quickstart` shows.

#[path = "../../kinesis_production.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_production.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use kinesis_stack::{Fault, On};
use ruststream::runtime::{HealthProbe, RustStream};
use ruststream::testing::TestApp;
use ruststream_kinesis::{KinesisBroker, KinesisMonitor};
use serde_json::json;

use crate::embedded::{self, Tested, until};

type Service = fn(KinesisBroker) -> RustStream;
type Report = fn(&HealthProbe, &KinesisMonitor) -> String;

const FORMS: [(&str, Service, Report); 2] = [
    ("example", example::service, example::report),
    ("manual", manual::service, manual::report),
];

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (form, service, _) in FORMS {
        println!("{form}");
        let tb = TestApp::start(service(KinesisBroker::new())).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_report_tells_of_the_shards_and_of_the_end() -> Tested {
    for (form, service, report) in FORMS {
        println!("{form}");
        let stack = embedded::stack(3);
        let broker = embedded::broker(&stack);
        let monitor = broker.monitor();
        let running = service(broker).start().await?;
        let health = running.health();
        assert_eq!(
            report(&health, &monitor),
            "running=true shards=3 behind=0s held=0s"
        );
        running.shutdown().await?;
        assert_eq!(
            report(&health, &monitor),
            "running=false shards=0 behind=0s held=0s"
        );
    }
    Ok(())
}

#[tokio::test]
async fn the_report_tells_how_far_the_slowest_shard_is_behind() -> Tested {
    for (form, service, report) in FORMS {
        println!("{form}");
        let stack = embedded::stack(2);
        let late = Fault::rewrite(|answer| answer["MillisBehindLatest"] = json!(90_000));
        let slow = On::operation("GetRecords").shard("shardId-000000000001");
        stack.faults().always(slow, late);
        let broker = embedded::broker(&stack);
        let monitor = broker.monitor();
        let running = service(broker).start().await?;
        let health = running.health();
        until(async || report(&health, &monitor).contains("behind=90s")).await;
        running.shutdown().await?;
    }
    Ok(())
}

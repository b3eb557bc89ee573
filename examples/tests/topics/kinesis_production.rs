//! Health, lag and a graceful stop. That a signal is one, the test binary `quickstart` shows.

#[path = "../../kinesis_production.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_production.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use aws_config::SdkConfig;
use kinesis_stack::{DynamoStack, Fault, On};
use ruststream::runtime::{HealthProbe, RustStream};
use ruststream::testing::TestApp;
use ruststream_kinesis::{DynamoLeaseStore, KinesisBroker, KinesisMonitor, LeaseKey, LeaseStore};
use serde_json::json;

use crate::embedded::{self, Tested, until};

type Leases = fn(&SdkConfig) -> DynamoLeaseStore;
type Service = fn(KinesisBroker, DynamoLeaseStore) -> RustStream;
type Report = fn(&HealthProbe, &KinesisMonitor) -> String;

const FORMS: [(Leases, Service, Report); 2] = [
    (example::leases, example::service, example::report),
    (manual::leases, manual::service, manual::report),
];

/// A number of the report.
fn number(report: &str, name: &str) -> u64 {
    let mut fields = report.split(' ').filter_map(|field| field.split_once('='));
    let (_, value) = fields.find(|field| field.0 == name).expect("it is told");
    value.trim_end_matches('s').parse().expect("a number")
}

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (leases, service, _) in FORMS {
        // In process no store is asked, so nobody need answer there.
        let leases = leases(&embedded::config("http://127.0.0.1:9"));
        let tb = TestApp::start(service(KinesisBroker::new(), leases)).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_report_tells_of_the_shards_and_of_the_end_which_hands_every_lease_back() -> Tested {
    for (leases, service, report) in FORMS {
        let (kinesis, dynamodb) = (embedded::stack(3), DynamoStack::start());
        let table = embedded::config(dynamodb.endpoint());
        let broker = embedded::broker(&kinesis);
        let monitor = broker.monitor();
        let running = service(broker, leases(&table)).start().await?;
        let health = running.health();
        let sound = "running=true shards=3 unread=0 behind=";
        until(async || report(&health, &monitor).starts_with(sound)).await;
        running.shutdown().await?;
        assert_eq!(
            report(&health, &monitor),
            "running=false shards=0 unread=0 behind=0s held=0s"
        );
        let key = LeaseKey::new("orders", "shardId-000000000000");
        assert_eq!(leases(&table).read(&key).await?.owner, None);
    }
    Ok(())
}

#[tokio::test]
async fn the_report_tells_how_far_the_slowest_shard_is_behind() -> Tested {
    for (leases, service, report) in FORMS {
        let (kinesis, dynamodb) = (embedded::stack(2), DynamoStack::start());
        let late = Fault::rewrite(|answer| answer["MillisBehindLatest"] = json!(90_000));
        let slow = On::operation("GetRecords").shard("shardId-000000000001");
        kinesis.faults().always(slow, late);
        let broker = embedded::broker(&kinesis);
        let monitor = broker.monitor();
        let leases = leases(&embedded::config(dynamodb.endpoint()));
        let running = service(broker, leases).start().await?;
        let health = running.health();
        until(async || number(&report(&health, &monitor), "behind") >= 90).await;
        running.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn in_an_outage_the_age_of_the_last_read_grows_in_the_report() -> Tested {
    for (leases, service, report) in FORMS {
        let (kinesis, dynamodb) = (embedded::stack(1), DynamoStack::start());
        let broker = embedded::broker(&kinesis);
        let monitor = broker.monitor();
        let leases = leases(&embedded::config(dynamodb.endpoint()));
        let running = service(broker, leases).start().await?;
        let health = running.health();
        until(async || number(&report(&health, &monitor), "unread") == 0).await;
        // The last answer was that nothing is behind.
        let outage = Fault::error(500, "InternalFailure", "not now");
        let reads = On::operation("GetRecords");
        kinesis.faults().always(reads, outage);
        until(async || number(&report(&health, &monitor), "behind") >= 4).await;
        running.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_report_counts_the_shards_that_nobody_reads() -> Tested {
    for (leases, service, report) in FORMS {
        let (kinesis, dynamodb) = (embedded::stack(3), DynamoStack::start());
        let outage = Fault::error(500, "InternalFailure", "not now");
        kinesis.faults().always(On::operation("GetRecords"), outage);
        let table = embedded::config(dynamodb.endpoint());
        // Two shards that no read of is answered, and one it may not take.
        let broker = embedded::broker(&kinesis).max_leases(2);
        let monitor = broker.monitor();
        let first = service(broker, leases(&table)).start().await?;
        let health = first.health();
        let unread = || number(&report(&health, &monitor), "unread");
        until(async || unread() == 3).await;
        // Another instance takes that one.
        let broker = embedded::broker(&kinesis);
        let second = service(broker, leases(&table)).start().await?;
        until(async || unread() == 2).await;
        first.shutdown().await?;
        second.shutdown().await?;
    }
    Ok(())
}

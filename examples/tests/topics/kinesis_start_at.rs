//! Where a subscription opens.

use std::thread::sleep;
use std::time::{Duration, UNIX_EPOCH};

use ruststream::OutgoingMessage;
use ruststream::testing::{TestApp, TestError, TestableBroker};
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::publish;

#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../kinesis_start_at.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_start_at.rs"]
mod manual;

const SHARD: &str = "shardId-000000000000";
const STREAMS: [&str; 3] = ["bookings", "clicks", "payments"];

/// The arrival of a record is the service's clock, which no test moves.
fn now() -> u64 {
    let now = UNIX_EPOCH.elapsed();
    u64::try_from(now.expect("it is past 1970").as_millis()).expect("it is not yet that late")
}

#[tokio::test]
async fn each_subscription_opens_where_it_says() {
    for service in [example::service, manual::service] {
        // Late enough for the app to connect before, on a busy machine as well.
        let since = now() + 500;
        // The third record of a shard, as this log numbers them.
        let third = KinesisPosition::sequence(SHARD, format!("49{:054}", 2));
        let tb = TestApp::with_state(service(since, Some(third)), |brokers| {
            let log = brokers.broker::<KinesisBroker>();
            for id in 1..=4 {
                while id == 2 && now() < since {
                    sleep(Duration::from_millis(10));
                }
                let record = json!({ "id": id }).to_string();
                for stream in STREAMS {
                    log.inject(OutgoingMessage::new(stream, record.as_bytes()));
                }
            }
        });
        let tb = tb.await.expect("the app starts");
        tb.settle().await.expect("what was there is read");
        let read = STREAMS.map(|stream| {
            let read = tb
                .broker::<KinesisBroker>()
                .subscriber(stream)
                .received::<Value>();
            read.iter()
                .filter_map(|entry| entry["id"].as_u64())
                .collect::<Vec<_>>()
        });
        assert_eq!(read, [vec![1, 2, 3, 4], vec![2, 3, 4], vec![3, 4]]);
        tb.shutdown().await.expect("the app stops");
    }
}

#[tokio::test]
async fn the_start_fails_where_the_shard_has_no_such_record() {
    for service in [example::service, manual::service] {
        let missing = KinesisPosition::sequence("shardId-000000000003", "49");
        let refused = TestApp::start(service(now(), Some(missing))).await.err();
        let Some(TestError::Subscribe(refused)) = refused else {
            panic!("the mount is refused, not {refused:?}");
        };
        assert!(refused.to_string().contains("payments"), "{refused}");
    }
}

#[tokio::test]
async fn a_program_that_is_told_no_record_reads_the_other_streams() {
    for (incident, service) in [
        (
            example::incident as fn(&[String]) -> _,
            example::service as fn(_, _) -> _,
        ),
        (manual::incident, manual::service),
    ] {
        let told = ["shardId-000000000001", "49"].map(str::to_owned);
        let position = KinesisPosition::sequence("shardId-000000000001", "49");
        assert_eq!(incident(&told), Ok(Some(position)));
        assert!(incident(&told[..1]).is_err(), "a shard names no record");

        let untold = incident(&[]).expect("no arguments are sound");
        let tb = TestApp::start(service(now(), untold)).await;
        let tb = tb.expect("no record has to be there");
        let broker = tb.broker::<KinesisBroker>();
        for stream in ["bookings", "clicks"] {
            publish(&broker, stream, &json!({ "id": 1 })).await;
            broker.subscriber(stream).assert_called_once();
        }
        tb.shutdown().await.expect("the app stops");
    }
}

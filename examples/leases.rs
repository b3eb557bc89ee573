//! Two instances of one service share the shards of a stream, by leases in a `DynamoDB` table.
//!
//! `cargo run --example leases --features dynamodb-lease` brings a Kinesis and a `DynamoDB` along,
//! both in this process, and prints a table whenever a shard changes hands. The second instance
//! comes while the first reads everything; then the first one stops.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::config::{Credentials, SharedCredentialsProvider};
use kinesis_stack::{DynamoStack, KinesisStack};
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisMonitor, KinesisPublisher, LeaseTimings};
use serde::{Deserialize, Serialize};
use tokio::time::{sleep, timeout};

type Failure = Box<dyn Error + Send + Sync>;

const STREAM: &str = "orders";
const SHARDS: usize = 6;
/// What a step of the story may take.
const WITHIN: Duration = Duration::from_secs(30);

#[derive(Serialize, Deserialize, Outgoing)]
struct Order {
    id: u64,
}

#[subscriber(KinesisStream::new(STREAM).create_if_missing(6))]
async fn handle(order: &Order) -> HandlerOutcome {
    sleep(Duration::from_millis(order.id % 10)).await;
    HandlerOutcome::ack()
}

/// One instance. In production each is a process of its own, on any host.
fn instance(broker: KinesisBroker) -> impl App {
    RustStream::new(AppInfo::new("orders", "0.7.0")).with_broker(broker, |b| {
        b.include(handle);
    })
}

fn broker(kinesis: &KinesisStack, dynamodb: &DynamoStack, name: &str) -> KinesisBroker {
    let config = |endpoint: &str| {
        SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("us-east-1"))
            .endpoint_url(endpoint)
            .credentials_provider(SharedCredentialsProvider::new(Credentials::new(
                "test", "test", None, None, "embedded",
            )))
            .build()
    };
    let leases = DynamoLeaseStore::new(&config(dynamodb.endpoint()), "orders-leases")
        .create_table_if_missing();
    KinesisBroker::from_config(config(kinesis.endpoint()))
        .lease_store(Arc::new(leases))
        .lease_timings(
            LeaseTimings::builder()
                .lease_ttl(Duration::from_secs(4))
                .renew_every(Duration::from_secs(1))
                .build(),
        )
        .owner_id(name)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (kinesis, dynamodb) = (KinesisStack::start(), DynamoStack::start());
    let (a, b) = (
        broker(&kinesis, &dynamodb, "a"),
        broker(&kinesis, &dynamodb, "b"),
    );
    let mut table = Table::of([a.monitor(), b.monitor()]);
    let publisher = b.publisher();

    println!("instance a starts");
    let a = instance(a).start().await?;
    table.until(&[("a", SHARDS)]).await?;

    println!("instance b starts, while orders come in");
    let b = instance(b).start().await?;
    let publishing = tokio::spawn(publish(publisher));
    table.until(&[("a", SHARDS / 2), ("b", SHARDS / 2)]).await?;

    println!("instance a stops");
    a.shutdown().await?;
    table.until(&[("b", SHARDS)]).await?;

    publishing.await??;
    b.shutdown().await?;
    println!("instance b stops; its leases are released");
    Ok(())
}

async fn publish(publisher: KinesisPublisher) -> Result<(), Failure> {
    for id in 0..300 {
        publisher
            .message(&Order { id })
            .to(STREAM)
            .publish()
            .await?;
        sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// Who reads which shard, as the instances' own snapshots tell.
struct Table {
    monitors: [KinesisMonitor; 2],
    since: Instant,
    /// Every shard that was read once, and who reads it now.
    shown: BTreeMap<String, Option<String>>,
}

impl Table {
    fn of(monitors: [KinesisMonitor; 2]) -> Self {
        Self {
            monitors,
            since: Instant::now(),
            shown: BTreeMap::new(),
        }
    }

    /// Prints the table whenever an owner changes, until each instance reads that many shards.
    async fn until(&mut self, wanted: &[(&str, usize)]) -> Result<(), Failure> {
        let shared = async {
            loop {
                self.show();
                let owners = || self.shown.values().flatten();
                let holds = |name: &str| owners().filter(|owner| *owner == name).count();
                if wanted.iter().all(|(name, share)| holds(name) == *share) {
                    break;
                }
                sleep(Duration::from_millis(100)).await;
            }
        };
        timeout(WITHIN, shared)
            .await
            .map_err(|_| format!("the shards were not shared within {WITHIN:?}"))?;
        println!();
        Ok(())
    }

    fn show(&mut self) {
        let mut rows = BTreeMap::new();
        for stream in self.monitors.iter().flat_map(KinesisMonitor::streams) {
            for shard in stream.shards {
                // An owner is its name and a number drawn at connect.
                let owner = stream.owner.split('/').next().unwrap_or_default();
                rows.insert(shard.shard.clone(), (owner.to_owned(), shard));
            }
        }
        let mut owners = self.shown.clone();
        for owner in owners.values_mut() {
            *owner = None;
        }
        for (shard, (owner, _)) in &rows {
            owners.insert(shard.clone(), Some(owner.clone()));
        }
        if owners == self.shown {
            return;
        }
        self.shown = owners;
        println!(
            "{:>5.1} s  shard                 owner  unsettled  behind  checkpoint",
            self.since.elapsed().as_secs_f64()
        );
        for shard in self.shown.keys() {
            let Some((owner, seen)) = rows.get(shard) else {
                println!("         {shard:<20}  -");
                continue;
            };
            let checkpoint = seen.checkpoint.as_deref().unwrap_or("-");
            let tail = checkpoint.len().saturating_sub(12);
            println!(
                "         {shard:<20}  {owner:<5}  {:>9}  {:>3} ms  {}",
                seen.unsettled,
                seen.behind.unwrap_or_default().as_millis(),
                &checkpoint[tail..],
            );
        }
    }
}

//! A service as production wants it: it tells how it is and how far behind, and stops gracefully.
//!
//! `cargo run --example kinesis_production --features dynamodb-lease`, with the region and the
//! credentials of the environment. The stream `orders` has to be there; the table is created. It
//! prints a line every ten seconds; Ctrl-C or `kill` stops it.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use aws_config::{BehaviorVersion, SdkConfig};
use ruststream::logging;
use ruststream::runtime::{HealthProbe, SubscriptionEnd};
use ruststream_kinesis::KinesisMonitor;
use ruststream_kinesis::prelude::*;
use serde::Deserialize;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{ctrl_c, ctrl_close};
use tokio::time::interval;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber(KinesisStream::new("orders"))]
async fn handle(order: &Order) -> HandlerOutcome {
    println!("got order {}", order.id);
    HandlerOutcome::ack()
}

/// The table every instance names. The default store is the process's memory, which a restart empties.
pub(crate) fn leases(config: &SdkConfig) -> DynamoLeaseStore {
    DynamoLeaseStore::new(config, "orders-leases").create_table_if_missing()
}

pub(crate) fn service(broker: KinesisBroker, leases: DynamoLeaseStore) -> RustStream {
    let broker = broker.lease_store(Arc::new(leases));
    RustStream::new(AppInfo::new("orders", "0.1.0"))
        // A service that reads no more is to be started again, not to look alive.
        .on_subscription_end(SubscriptionEnd::FailFast)
        // A stop may take twice this, once for the handlers and once for the copies of
        // `retry_after`, and eight seconds for the leases: less than the supervisor's thirty.
        .shutdown_timeout(Duration::from_secs(10))
        .with_broker(broker, |b| {
            b.include(handle);
        })
}

/// What a health check asks for, and what alarms are set on.
pub(crate) fn report(health: &HealthProbe, monitor: &KinesisMonitor) -> String {
    let streams = monitor.streams();
    let shards = || streams.iter().flat_map(|stream| &stream.shards);
    // Grows where the handlers are slower than the publishers and, by the age of the last read,
    // where no read is answered.
    let behind = shards().filter_map(|shard| Some(shard.behind? + shard.read_ago?));
    // Grows where a handler hangs, or left a record unhandled.
    let held = shards().filter_map(|shard| shard.held_for);
    // More than none for minutes: nobody reads them. A shard that this instance lost, and that no
    // other took, is among them; so is one that waits until its parents are read to their end.
    let unowned = streams.iter().flat_map(|stream| {
        let others = stream.elsewhere.iter();
        others.filter(|shard| shard.owner.as_ref().is_none_or(|by| *by == stream.owner))
    });
    let never_read = shards().filter(|shard| shard.read_ago.is_none());
    format!(
        "running={} shards={} unread={} behind={}s held={}s",
        health.is_running(),
        shards().count(),
        unowned.count() + never_read.count(),
        behind.max().unwrap_or_default().as_secs(),
        held.max().unwrap_or_default().as_secs(),
    )
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // What the service logs; `RUST_LOG` asks for more.
    logging::init()?;
    let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
    let leases = leases(&config);
    let broker = KinesisBroker::from_config(config);
    let monitor = broker.monitor();
    // Before the start, so that a signal during it is answered as well, when it is over.
    let asked = asked_to_stop()?;
    let running = service(broker, leases).start().await?;
    let health = running.health();
    let stopping = running.stopping();
    tokio::spawn(async move {
        let mut every = interval(Duration::from_secs(10));
        loop {
            every.tick().await;
            println!("{}", report(&health, &monitor));
        }
    });
    tokio::select! {
        () = asked => {}
        // The service ended itself, and the shutdown answers why.
        () = stopping => {}
    }
    Ok(running.shutdown().await?)
}

/// Ctrl-C, or the signal a supervisor sends. From this call on neither ends the process by itself.
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let (mut pressed, mut terminate) = (
        signal(SignalKind::interrupt())?,
        signal(SignalKind::terminate())?,
    );
    #[cfg(windows)]
    let (mut pressed, mut terminate) = (ctrl_c()?, ctrl_close()?);
    Ok(async move {
        tokio::select! {
            _ = pressed.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

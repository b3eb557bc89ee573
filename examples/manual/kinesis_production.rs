//! `kinesis_production` without macros: health, lag and a graceful stop.
//!
//! `cargo run --example manual_kinesis_production`, with the region and the credentials of the
//! environment and a stream `orders`. It prints a line every ten seconds; Ctrl-C or `kill` stops it.

use std::error::Error;
use std::future::ready;
use std::io;
use std::time::Duration;

use ruststream::runtime::{HealthProbe, SubscriptionEnd};
use ruststream_kinesis::KinesisMonitor;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime::Runtime;
use tokio::signal::ctrl_c;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::interval;

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u64,
}

struct HandleOrder;

impl Handle<Order> for HandleOrder {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("got order {}", order.id);
        ready(Ok(()))
    }
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0"))
        // A service that reads no more is to be started again, not to look alive.
        .on_subscription_end(SubscriptionEnd::FailFast)
        .shutdown_timeout(Duration::from_secs(20))
        .with_broker(broker, |b| {
            b.include(subscriber(KinesisStream::new("orders"), HandleOrder).build());
        })
}

/// What a health check asks for, and what alarms are set on.
pub(crate) fn report(health: &HealthProbe, monitor: &KinesisMonitor) -> String {
    let streams = monitor.streams();
    let shards = || streams.iter().flat_map(|stream| &stream.shards);
    // Grows where the handlers are slower than the publishers.
    let behind = shards().filter_map(|shard| shard.behind).max();
    // Grows where a handler hangs, or left a record unhandled.
    let held = shards().filter_map(|shard| shard.held_for).max();
    format!(
        "running={} shards={} behind={}s held={}s",
        health.is_running(),
        shards().count(),
        behind.unwrap_or_default().as_secs(),
        held.unwrap_or_default().as_secs(),
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    Runtime::new()?.block_on(run(KinesisBroker::new()))
}

async fn run(broker: KinesisBroker) -> Result<(), Box<dyn Error>> {
    let monitor = broker.monitor();
    let running = service(broker).start().await?;
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
        asked = asked_to_stop() => asked?,
        // The service ended itself, and the shutdown answers why.
        () = stopping => {}
    }
    Ok(running.shutdown().await?)
}

/// Ctrl-C, or the signal a supervisor sends.
async fn asked_to_stop() -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            pressed = ctrl_c() => pressed,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    ctrl_c().await
}

//! Publishing from outside of a handler: a thermometer that is read on a task of its own.
//!
//! `cargo run --example kinesis_publishing`

use std::error::Error;
use std::time::Duration;

use ruststream_kinesis::KinesisPublisher;
use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

const EVERY: Duration = Duration::from_secs(1);

type Failure = Box<dyn Error + Send + Sync>;

/// The type names the stream it goes to.
#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "readings")]
struct Reading {
    sensor: String,
    celsius: f64,
}

#[subscriber("readings")]
async fn show(reading: &Reading) -> HandlerOutcome {
    println!("{} has {} degrees", reading.sensor, reading.celsius);
    HandlerOutcome::ack()
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("weather", "0.1.0")).with_broker(broker, |b| {
        b.include(show);
    })
}

/// Returns once Kinesis has the reading. Readings of one sensor share a shard and keep their order.
pub(crate) async fn report(
    publisher: &KinesisPublisher,
    sensor: &str,
    celsius: f64,
) -> Result<(), Failure> {
    let reading = Reading {
        sensor: sensor.to_owned(),
        celsius,
    };
    publisher
        .message(&reading)
        .partition_key(sensor)
        .publish()
        .await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let broker = KinesisBroker::new();
    // Taken before the app takes the broker, and of use from its start until its end.
    let publisher = broker.publisher();
    let running = service(broker).start().await?;
    for celsius in [-3.5, -3.0, -2.0] {
        report(&publisher, "roof", celsius).await?;
        sleep(EVERY).await;
    }
    running.shutdown().await?;
    Ok(())
}

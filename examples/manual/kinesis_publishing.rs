//! Publishing from outside of a handler, without macros.
//!
//! `cargo run --example manual_kinesis_publishing`

use std::error::Error;
use std::future::ready;
use std::time::Duration;

use ruststream_kinesis::KinesisPublisher;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;
use tokio::time::sleep;

const EVERY: Duration = Duration::from_secs(1);

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Reading {
    sensor: String,
    celsius: f64,
}

/// The type names the stream it goes to.
impl OutgoingDestination for Reading {
    type Form = FixedName;

    const DESTINATION: &'static str = "readings";
}

impl MessageHeaders for Reading {
    type Contract = NoHeaders;
}

struct Show;

impl Handle<Reading> for Show {
    fn handle(
        &self,
        reading: &Reading,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> {
        println!("{} has {} degrees", reading.sensor, reading.celsius);
        ready(Ok(()))
    }
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("weather", "0.1.0")).with_broker(broker, |b| {
        b.include(subscriber("readings", Show).build());
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

async fn run() -> Result<(), Failure> {
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

fn main() -> Result<(), Failure> {
    Runtime::new()?.block_on(run())
}

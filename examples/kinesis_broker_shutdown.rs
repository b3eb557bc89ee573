//! A graceful stop: what is being handled is finished, checkpointed, and every lease handed back.
//!
//! `cargo run --example kinesis_broker_shutdown`, with the region and the credentials of the
//! environment and a stream `orders`. Stop it with Ctrl-C or `kill`: both signals are waited for.

use std::convert::Infallible;
use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::Deserialize;
use tokio::time::sleep;

#[derive(Deserialize)]
struct Order {
    id: u64,
    items: u32,
}

#[subscriber(KinesisStream::new("orders"))]
async fn pack(order: &Order) -> HandlerOutcome {
    sleep(Duration::from_millis(50) * order.items).await;
    println!("packed order {}", order.id);
    HandlerOutcome::ack()
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("packing", "0.1.0"))
        // How long handlers may go on. The copies of `retry_after` get as long after them, and the
        // leases eight seconds: 28 in all, less than the supervisor waits before it kills, so that
        // the leases are handed back even where a handler hangs. Its record is then delivered
        // again, to the next owner.
        .shutdown_timeout(Duration::from_secs(10))
        .on_shutdown(async |_| {
            println!("stopping: no new order is begun");
            Ok::<_, Infallible>(())
        })
        .after_shutdown(async |_| {
            println!("stopped: no lease is held any more");
            Ok::<_, Infallible>(())
        })
        .with_broker(broker, |b| {
            b.include(pack);
        })
}

#[ruststream::app]
pub(crate) fn app() -> RustStream {
    service(KinesisBroker::new())
}

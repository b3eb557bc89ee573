//! One test body for both modes: in process, and against a Kinesis that is dialled.
//!
//! `cargo test -p examples --example kinesis_testing_live` runs the tests at the end of this file.
//! The Kinesis is the one this repository embeds; yours is whatever your endpoint names.

use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "orders")]
struct Order {
    id: u64,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "receipts")]
struct Receipt {
    order: u64,
}

#[subscriber(KinesisStream::new("orders"), reply)]
async fn confirm(order: &Order) -> Receipt {
    Receipt { order: order.id }
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        b.include(confirm).out_reply(Publish::default());
    })
}

#[ruststream::app]
pub(crate) fn app() -> RustStream {
    service(KinesisBroker::new())
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use kinesis_stack::KinesisStack;
    use ruststream::testing::TestApp;
    use ruststream_kinesis::prelude::*;

    use super::{Order, Receipt, app, service};

    /// What holds in both modes: what was published and what the handlers were given. When a record
    /// comes back, and on which shard, is the service's own.
    async fn an_order_gets_a_receipt(tb: TestApp<()>) -> Result<(), Box<dyn Error>> {
        let broker = tb.broker::<KinesisBroker>();
        broker.message(&Order { id: 7 }).publish().await?;
        broker.subscriber("orders").assert_called_once();
        let receipts = broker.published::<Receipt>("receipts");
        receipts.assert_called_once().with(&Receipt { order: 7 });
        tb.shutdown().await?;
        Ok(())
    }

    #[tokio::test]
    async fn in_process() -> Result<(), Box<dyn Error>> {
        an_order_gets_a_receipt(TestApp::start(app()).await?).await
    }

    #[tokio::test]
    async fn live() -> Result<(), Box<dyn Error>> {
        // Both streams are there, as infrastructure would have them.
        let stack = KinesisStack::builder().streams_on_use(1).start();
        let broker = KinesisBroker::new()
            .endpoint(stack.endpoint())
            .region("us-east-1")
            .test_credentials();
        an_order_gets_a_receipt(TestApp::start_live(service(broker)).await?).await
    }
}

//! `kinesis_testing_live` without macros: one test body for both modes.
//!
//! `cargo test -p examples --example manual_kinesis_testing_live` runs the tests at the end of this
//! file.

use std::future::ready;
use std::process::ExitCode;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Order {
    id: u64,
}

impl OutgoingDestination for Order {
    type Form = FixedName;

    const DESTINATION: &'static str = "orders";
}

impl MessageHeaders for Order {
    type Contract = NoHeaders;
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Receipt {
    order: u64,
}

impl OutgoingDestination for Receipt {
    type Form = FixedName;

    const DESTINATION: &'static str = "receipts";
}

impl MessageHeaders for Receipt {
    type Contract = NoHeaders;
}

struct Confirm;

impl Handle<Order, Receipt> for Confirm {
    fn handle(
        &self,
        order: &Order,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> impl Future<Output = Result<Receipt, HandlerOutcome>> {
        ready(Ok(Receipt { order: order.id }))
    }
}

pub(crate) fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        let confirm = subscriber(KinesisStream::new("orders"), Confirm);
        b.include(confirm.reply().build())
            .out_reply(Publish::default());
    })
}

pub(crate) fn app() -> RustStream {
    service(KinesisBroker::new())
}

fn main() -> ExitCode {
    run_main(app)
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

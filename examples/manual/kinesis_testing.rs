//! `kinesis_testing` without macros: a service tested in process.
//!
//! `cargo test -p examples --example manual_kinesis_testing` runs the tests at the end of this file.

use std::future::ready;
use std::process::ExitCode;
use std::time::Duration;

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Order {
    id: u64,
    paid: bool,
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
        if !order.paid {
            return ready(Err(HandlerOutcome::retry_after(Duration::from_secs(30))));
        }
        ready(Ok(Receipt { order: order.id }))
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        let confirm = subscriber(KinesisStream::new("orders"), Confirm);
        b.include(confirm.reply().build())
            .out_reply(Publish::default());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::time::Duration;

    use ruststream::testing::TestApp;
    use ruststream_kinesis::prelude::*;

    use super::{Order, Receipt, app};

    #[tokio::test]
    async fn a_paid_order_gets_a_receipt() -> Result<(), Box<dyn Error>> {
        let tb = TestApp::start(app()).await?;
        let broker = tb.broker::<KinesisBroker>();

        // Returns once the handler it woke has settled, and its reply is written.
        let order = Order { id: 7, paid: true };
        broker.message(&order).publish().await?;

        let receipts = broker.published::<Receipt>("receipts");
        receipts.assert_called_once().with(&Receipt { order: 7 });
        tb.shutdown().await?;
        Ok(())
    }

    // The clock stands still, so half a minute passes when the test says so.
    #[tokio::test(start_paused = true)]
    async fn an_unpaid_order_comes_back_after_half_a_minute() -> Result<(), Box<dyn Error>> {
        let tb = TestApp::start(app()).await?;
        let broker = tb.broker::<KinesisBroker>();

        let order = Order { id: 8, paid: false };
        broker.message(&order).publish().await?;
        let later = HandlerOutcome::retry_after(Duration::from_secs(30));
        let orders = broker.subscriber("orders");
        orders.assert_called_once().with(&order).settled(later);

        tb.advance(Duration::from_secs(30)).await?;
        broker.subscriber("orders").assert_called(2);
        broker.published::<Receipt>("receipts").assert_not_called();
        tb.shutdown().await?;
        Ok(())
    }
}

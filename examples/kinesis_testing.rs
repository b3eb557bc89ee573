//! A service tested in process: the production app, on a log in memory, with no address to dial.
//!
//! `cargo test -p examples --example kinesis_testing` runs the tests at the end of this file. They
//! need the feature `testing` of `ruststream` and of `ruststream-kinesis` among the
//! dev-dependencies.

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "orders")]
struct Order {
    id: u64,
    paid: bool,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "receipts")]
struct Receipt {
    order: u64,
}

#[subscriber(KinesisStream::new("orders"), reply)]
async fn confirm(order: &Order) -> Result<Receipt, HandlerOutcome> {
    if !order.paid {
        return Err(HandlerOutcome::retry_after(Duration::from_secs(30)));
    }
    Ok(Receipt { order: order.id })
}

#[ruststream::app]
pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(confirm).out_reply(Publish::default());
    })
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

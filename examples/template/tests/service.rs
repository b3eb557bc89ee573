//! What the service promises, shown in process: no account, and a clock that stands still.

use std::error::Error;

use orders::handlers::{ASK_AGAIN_AFTER, Order, Receipt};
use orders::service;
use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;

type Tested = Result<(), Box<dyn Error>>;

const PAID: Order = Order {
    id: 7,
    cents: 1250,
    paid: true,
};

#[tokio::test]
async fn a_paid_order_gets_a_receipt() -> Tested {
    let tb = TestApp::start(service(KinesisBroker::new())).await?;
    let broker = tb.broker::<KinesisBroker>();
    broker.message(&PAID).publish().await?;

    let orders = broker.subscriber("orders");
    orders.assert_called_once().settled(HandlerOutcome::ack());
    let receipt = Receipt {
        order: 7,
        cents: 1250,
    };
    let receipts = broker.published::<Receipt>("receipts");
    receipts.assert_called_once().with(&receipt);
    tb.shutdown().await?;
    Ok(())
}

#[tokio::test]
async fn an_order_over_nothing_is_dropped() -> Tested {
    let tb = TestApp::start(service(KinesisBroker::new())).await?;
    let broker = tb.broker::<KinesisBroker>();
    broker
        .message(&Order { cents: 0, ..PAID })
        .publish()
        .await?;

    let orders = broker.subscriber("orders");
    orders.assert_called_once().settled(HandlerOutcome::drop());
    broker.published::<Receipt>("receipts").assert_not_called();
    tb.shutdown().await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_order_nobody_pays_is_handed_over_after_four_deliveries() -> Tested {
    let tb = TestApp::start(service(KinesisBroker::new())).await?;
    let broker = tb.broker::<KinesisBroker>();
    let unpaid = Order {
        paid: false,
        ..PAID
    };
    broker.message(&unpaid).publish().await?;
    for deliveries in 2..=4 {
        tb.advance(ASK_AGAIN_AFTER).await?;
        broker.subscriber("orders").assert_called(deliveries);
    }

    let handed_over = broker.published::<Order>("orders.unpaid");
    handed_over.assert_called_once().with(&unpaid);
    broker.published::<Receipt>("receipts").assert_not_called();
    tb.shutdown().await?;
    Ok(())
}

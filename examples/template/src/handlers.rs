//! The messages, and what becomes of an order.

use std::time::Duration;

use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

/// How long an order has to be paid before it is looked at again.
pub const ASK_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// A record of the stream `orders`.
#[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "orders")]
pub struct Order {
    pub id: u64,
    pub cents: u64,
    pub paid: bool,
}

/// The answer to a paid order.
#[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "receipts")]
pub struct Receipt {
    pub order: u64,
    pub cents: u64,
}

/// Writes a receipt, drops an order over nothing, and asks again for one that is not paid yet.
#[subscriber(KinesisStream::new("orders"), reply)]
pub async fn confirm(order: &Order) -> Result<Receipt, HandlerOutcome> {
    if order.cents == 0 {
        return Err(HandlerOutcome::drop());
    }
    if !order.paid {
        return Err(HandlerOutcome::retry_after(ASK_AGAIN_AFTER));
    }
    Ok(Receipt {
        order: order.id,
        cents: order.cents,
    })
}

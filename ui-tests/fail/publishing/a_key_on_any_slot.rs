use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "receipts")]
struct Receipt {
    order: u64,
}

#[derive(OutSlot)]
#[publishes(Receipt)]
struct Journal;

#[subscriber("orders", poll_interval = "1s")]
async fn handle(order: &Order, Out(journal): Out<impl Publisher, Journal>) -> HandlerOutcome {
    let receipt = Receipt { order: order.id };
    match journal
        .message(&receipt)
        .partition_key("acme")
        .publish()
        .await
    {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

fn main() {}

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
async fn handle(
    order: &Order,
    Out(journal): Out<impl Publisher<Options = KinesisPublishOptions>, Journal>,
) -> HandlerOutcome {
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

#[subscriber("jobs", reply, poll_interval = "1s")]
async fn replying(order: &Order) -> Receipt {
    Receipt { order: order.id }
}

fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handle).out(Journal, Publish::default()).build();
        b.include(replying)
            .out_reply(Publish::default())
            .partition_key("receipts");
    })
}

fn main() {
    let _ = app();
}

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

#[subscriber("orders", repyl)]
async fn handle(order: &Order) -> Receipt {
    Receipt { order: order.id }
}

fn app() -> RustStream {
    RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(handle)
            .out_reply(Publish::default())
            .partition_key("receipts");
    })
}

fn main() {
    let _ = app();
}

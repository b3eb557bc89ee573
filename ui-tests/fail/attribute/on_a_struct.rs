use ruststream_kinesis::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

#[subscriber("orders", poll_interval = "2s")]
struct Handle;

fn main() {
    let _ = (Handle, Order { id: 1 }.id);
}

//! What the keys say is what a hand-written descriptor and a hand-written chain would say.

use std::time::Duration;

use ruststream::runtime::{Declared, SubscriberBuilder};
use ruststream::{Name, StartAt};
use ruststream_kinesis::prelude::*;
use tests::apps::Order;

const PAUSE: Duration = Duration::from_millis(250);
const REPLAY: KinesisPosition = KinesisPosition::timestamp(1_700_000_000_000);
const BATCH: usize = 25;

fn topic() -> String {
    "orders".to_owned()
}

#[subscriber(stream = "orders")]
async fn named(order: &Order) {
    let _ = order.id;
}

#[subscriber(
    stream = "orders",
    poll_interval = "500ms",
    create_if_missing = 2,
    checkpoint_interval = "1m",
    memory_budget = 1_048_576
)]
async fn literals(order: &Order) {
    let _ = order.id;
}

#[subscriber(
    checkpoint_interval = PAUSE * 4,
    memory_budget = 1 << 20,
    workers(3),
    create_if_missing = i32::from(2_u8),
    poll_interval = PAUSE,
    stream = topic()
)]
async fn expressions(order: &Order) {
    let _ = order.id;
}

#[subscriber("orders", poll_interval = "2s")]
async fn in_front(order: &Order) {
    let _ = order.id;
}

#[subscriber(KinesisStream::new("orders").create_if_missing(1), poll_interval = "2s")]
async fn on_a_descriptor(order: &Order) {
    let _ = order.id;
}

#[subscriber("orders", start_at = horizon)]
async fn from_the_horizon(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = "orders", start_at = sequence("shardId-000000000000", "49"), poll_interval = "1s")]
async fn from_a_record(order: &Order) {
    let _ = order.id;
}

#[subscriber(stream = "orders", start_at = REPLAY)]
async fn from_a_constant(order: &Order) {
    let _ = order.id;
}

#[subscriber(
    stream = "orders",
    poll_interval = "1s",
    start_at(KinesisPosition::latest())
)]
async fn from_the_clause(order: &Order) {
    let _ = order.id;
}

#[subscriber("orders", batch = BATCH)]
async fn in_batches(orders: &[Order]) {
    let _ = orders.len();
}

#[subscriber("orders")]
async fn the_frameworks(order: &Order) {
    let _ = order.id;
}

/// The source a handler declares.
fn source<Def, Src, State, Codec>(
    handler: impl Declared<Settings = SubscriberBuilder<Def, Src, State, Codec>>,
) -> Src {
    let mut declared = None;
    let _ = handler.map_source(|source: Src| declared = Some(source));
    declared.expect("the chain maps its source at once")
}

#[test]
fn the_keys_are_the_setters() {
    let orders = || KinesisStream::new("orders");
    assert_eq!(source(named), orders());
    assert_eq!(
        source(literals),
        orders()
            .poll_interval(Duration::from_millis(500))
            .create_if_missing(2)
            .checkpoint_interval(Duration::from_mins(1))
            .memory_budget(1 << 20)
    );
    assert_eq!(
        source(expressions),
        orders()
            .poll_interval(PAUSE)
            .create_if_missing(2)
            .checkpoint_interval(PAUSE * 4)
            .memory_budget(1 << 20)
    );
}

#[test]
fn a_string_in_front_becomes_the_descriptor_where_a_key_stands_beside_it() {
    let stream = KinesisStream::new("orders").poll_interval(Duration::from_secs(2));
    assert_eq!(source(in_front), stream);
    assert_eq!(source(on_a_descriptor), stream.create_if_missing(1));
    let name: Name = source(the_frameworks);
    assert_eq!(format!("{name:?}"), format!("{:?}", Name::new("orders")));
}

/// The descriptor a start position wraps.
fn inner(source: StartAt<KinesisStream, KinesisPosition>) -> KinesisStream {
    let mut wrapped = None;
    let _ = source.map_inner(|stream| {
        wrapped = Some(stream.clone());
        stream
    });
    wrapped.expect("the wrapper maps at once")
}

#[test]
fn the_start_position_is_the_frameworks_wrapper_around_the_descriptor() {
    let orders = || KinesisStream::new("orders");
    let polled = || orders().poll_interval(Duration::from_secs(1));
    assert_eq!(inner(source(from_the_horizon)), orders());
    assert_eq!(inner(source(from_a_record)), polled());
    assert_eq!(inner(source(from_a_constant)), orders());
    assert_eq!(inner(source(from_the_clause)), polled());
}

#[test]
fn the_batch_size_is_that_of_the_chain() {
    assert_eq!(in_batches.declare().batch_size(), Some(nonzero!(25)));
}

//! A service whose leases are in the table.

use std::sync::Arc;

use kinesis_stack::{Fault, On};
use ruststream::ConnectedBroker;
use ruststream_kinesis::{KinesisBroker, KinesisError, LeaseStore};
use serde_json::json;
use tests::dynamo::{LeaseTable, text, text_of};
use tests::live::{
    OneStream, ack_all, delivered, handle, is_lease_error, item, numbers, records, report, runtime,
    shard, within,
};

/// A broker of that service that keeps its leases there.
fn broker(live: &OneStream, store: impl LeaseStore) -> KinesisBroker {
    live.broker().lease_store(Arc::new(store))
}

async fn checkpoint(table: &LeaseTable, live: &OneStream) -> Option<String> {
    let row = format!("{}:{}", live.stream(), shard(0));
    let item = table.item(&row).await?;
    text_of(&item, "checkpoint").map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_starts_again_resumes_from_the_table() {
    let (live, table) = (OneStream::embedded(1).await, LeaseTable::start().await);
    let (connected, mut subscriber) = live.open(broker(&live, table.store())).await;
    let written = live.put_many("key", 0..5).await;
    assert_eq!(handle(&mut subscriber, 3).await, numbers(0..3));
    assert_eq!(
        checkpoint(&table, &live).await,
        Some(written[2].sequence.clone())
    );
    drop(subscriber);
    within(connected.shutdown()).await.expect("it shuts down");

    let (_connected, mut subscriber) = live.open(broker(&live, table.store())).await;
    assert_eq!(handle(&mut subscriber, 2).await, numbers(3..5));
    assert_eq!(
        checkpoint(&table, &live).await,
        Some(written[4].sequence.clone())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_never_read_one_shard_and_the_second_follows_the_first() {
    let (live, table) = (OneStream::embedded(1).await, LeaseTable::start().await);
    let (first, mut reading) = live.open(broker(&live, table.store())).await;
    let (_second, mut waiting) = live.open(broker(&live, table.store())).await;
    live.put_many("key", 0..4).await;
    let read = handle(&mut reading, 2);
    let nobody = async {
        let item = item(&mut waiting).await;
        item.map(|record| tests::live::text(&record))
    };
    let read = tokio::select! {
        read = read => read,
        item = nobody => panic!("{item:?} is read by the second"),
    };
    assert_eq!(read, numbers(0..2));
    drop(reading);
    within(first.shutdown()).await.expect("it shuts down");
    assert_eq!(handle(&mut waiting, 2).await, numbers(2..4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_on_a_thread_of_its_own_acknowledges_through_a_client_of_its_own() {
    let (live, table) = (OneStream::embedded(1).await, LeaseTable::start().await);
    let (_connected, mut subscriber) = live.open(broker(&live, table.store())).await;
    let written = live.put_many("key", 0..3).await;
    let delivered = records(&mut subscriber, 3).await;
    let handler = tokio::task::spawn_blocking(move || runtime().block_on(ack_all(delivered)));
    within(handler).await.expect("no panic");
    assert_eq!(
        checkpoint(&table, &live).await,
        Some(written[2].sequence.clone())
    );
}

/// A stream of two shards with a record each, and a bare row that says the first of shard 0 is
/// handled.
async fn upgraded() -> (OneStream, LeaseTable) {
    let (live, table) = (OneStream::embedded(2).await, LeaseTable::start().await);
    let first = live.put_at(0, "handled").await;
    live.put_at(0, "next").await;
    table
        .put(&shard(0), [("checkpoint", text(&first.sequence))])
        .await;
    (live, table)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgraded_service_resumes_from_the_bare_rows_of_the_stream_it_names() {
    let (live, table) = upgraded().await;
    let store = table.store().legacy_stream(live.stream());
    let (_connected, mut subscriber) = live.open(broker(&live, store)).await;
    assert_eq!(handle(&mut subscriber, 1).await, ["next"]);
    live.put_at(u128::MAX, "second shard").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["second shard"]);
    assert!(checkpoint(&table, &live).await.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgraded_service_that_names_no_stream_does_not_read_the_shard_and_says_why() {
    let (live, table) = upgraded().await;
    let (_connected, mut subscriber) = live.open(broker(&live, table.store())).await;
    let refused = report(&mut subscriber).await;
    assert!(is_lease_error(&refused, &live, &shard(0)), "{refused}");
    let KinesisError::Lease { source, .. } = &refused else {
        panic!("{refused} is a lease error");
    };
    let source = source.to_string();
    for part in ["orders-leases", &shard(0), live.stream(), "legacy_stream"] {
        assert!(source.contains(part), "{source}");
    }
    // The other shard is read.
    live.put_at(u128::MAX, "second shard").await;
    let read = within(delivered(&mut subscriber)).await;
    assert_eq!(tests::live::text(&read), "second shard");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_waits_for_its_table_to_be_created_and_reports_nothing() {
    let (live, table) = (OneStream::embedded(2).await, LeaseTable::without_table());
    // Longer than any other call of a store may take.
    let creating = Fault::rewrite(|answer| answer["Table"]["TableStatus"] = json!("CREATING"));
    let looks = table
        .stack()
        .faults()
        .times(26, On::operation("DescribeTable"), creating);
    let store = table.store().create_table_if_missing();
    let (_connected, mut subscriber) = live.open(broker(&live, store)).await;
    assert!(looks.hits() >= 21, "{}", looks.hits());
    live.put_many("key", 0..3).await;
    assert_eq!(handle(&mut subscriber, 3).await, numbers(0..3));
}

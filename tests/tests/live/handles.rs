//! The handles a broker gives out: before the connect, after the shutdown, and from any runtime.

use std::sync::mpsc;
use std::time::Duration;

use kinesis_stack::{Fault, On};
use ruststream::{Broker, ConnectedBroker, IncomingMessage, PublishPolicy};
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisError, KinesisMonitor, KinesisPublisher, ShardSnapshot};
use serde::{Deserialize, Serialize};
use tests::live::{OneStream, handle, lasting, records, runtime, shard, within};
use tests::store::RecordingStore;
use tests::wire::{create, publish, retained, retained_at_last};
use tokio::task::spawn_blocking;

#[derive(Serialize, Deserialize)]
struct Order {
    id: usize,
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "journal")]
struct Journalled {
    order: usize,
}

/// The slot the journal entries leave through.
#[derive(OutSlot)]
#[publishes(Journalled)]
struct Journal;

#[subscriber(KinesisStream)]
async fn journalling(order: &Order, Out(journal): Out<impl Publisher, Journal>) -> HandlerOutcome {
    let entry = Journalled { order: order.id };
    match journal.message(&entry).publish().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

async fn assert_not_connected(publisher: &KinesisPublisher, stream: &str) {
    let answer = publish(publisher, stream, b"{}").await;
    assert!(
        matches!(answer, Err(KinesisError::NotConnected)),
        "{answer:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_publisher_works_from_the_connect_to_the_shutdown_wherever_it_was_taken() {
    let live = OneStream::embedded(1).await;
    let broker = live.broker();
    let early = broker.publisher();
    assert_not_connected(&early, live.stream()).await;
    let connected = broker.connect().await.expect("connects");
    let used = connected.publisher();
    let never_used = connected.publisher();
    let paired = Publish::default().partition_key("key").pair(&connected);
    let paired = paired.await.expect("the policy pairs");
    for publisher in [&early, &used, &paired] {
        let sent = publish(publisher, live.stream(), b"{}").await;
        sent.expect("the broker is connected");
    }
    connected.shutdown().await.expect("shuts down");
    live.stack().calls().clear();
    for publisher in [&early, &used, &paired, &never_used] {
        assert_not_connected(publisher, live.stream()).await;
    }
    assert!(live.stack().calls().all().is_empty());
    assert_eq!(retained(live.client(), live.stream()).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runtimes_that_come_and_go_publish_through_one_publisher() {
    const THREADS: usize = 4;
    const RUNTIMES: usize = 20;
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let threads = (0..THREADS).map(|_| {
        let (publisher, stream) = (connected.publisher(), live.stream().to_owned());
        spawn_blocking(move || {
            for _ in 0..RUNTIMES {
                let sent = runtime().block_on(publish(&publisher, &stream, b"{}"));
                sent.expect("the record is written");
            }
        })
    });
    for thread in within(futures::future::join_all(threads)).await {
        thread.expect("no panic");
    }
    // And the broker's own runtime still does.
    let sent = publish(&connected.publisher(), live.stream(), b"{}").await;
    sent.expect("the record is written");
    let records = retained(live.client(), live.stream()).await;
    assert_eq!(records.len(), THREADS * RUNTIMES + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runtimes_that_come_and_go_acknowledge() {
    const RECORDS: usize = 20;
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put_many("key", 0..RECORDS).await;
    let records = records(&mut subscriber, RECORDS).await;
    let acknowledged = spawn_blocking(move || {
        for record in records {
            let acknowledged = runtime().block_on(record.ack());
            acknowledged.expect("the record is acknowledged");
        }
    });
    within(acknowledged).await.expect("no panic");
    let written: Vec<_> = written.into_iter().map(|record| record.sequence).collect();
    assert_eq!(store.checkpoints(), written);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_thread_never_holds_up_the_request_of_another() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let (publisher, stream) = (connected.publisher(), live.stream().to_owned());
    let (written, is_written) = tokio::sync::oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    let busy = std::thread::spawn(move || {
        runtime().block_on(async {
            let sent = publish(&publisher, &stream, b"{}").await;
            sent.expect("the record is written");
            written.send(()).expect("the test waits");
            // Blocks the runtime its connection lives on.
            let _ = released.recv();
        });
    });
    within(is_written).await.expect("no panic");
    let publisher = connected.publisher();
    for _ in 0..3 {
        let sent = within(publish(&publisher, live.stream(), b"{}")).await;
        sent.expect("the record is written");
    }
    drop(release);
    busy.join().expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_on_threads_of_its_own_publishes_and_acknowledges_from_there() {
    const ORDERS: usize = 20;
    let live = OneStream::embedded(1).await;
    create(live.client(), "journal").await;
    let store = RecordingStore::new();
    let broker = live.broker().lease_store(store.clone());
    let stream = live.stream().to_owned();
    let app = RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(broker, |b| {
        let handler = journalling.name(stream).threads(nonzero!(2));
        b.include(handler.poll_interval(Duration::from_millis(200)))
            .out(Journal, Publish::default())
            .build();
    });
    let running = app.start().await.expect("the app starts");
    let mut last = None;
    for id in 0..ORDERS {
        last = Some(live.put("key", &format!(r#"{{"id":{id}}}"#)).await);
    }
    let last = last.expect("orders").sequence;
    store.stores(live.stream(), &shard(0), &last).await;
    let journal = retained_at_last(live.client(), "journal", ORDERS).await;
    assert_eq!(journal.len(), ORDERS);
    running.shutdown().await.expect("the app stops");
}

/// Waits until the one shard's snapshot is as it is to be.
async fn shows(monitor: &KinesisMonitor, expected: impl Fn(&ShardSnapshot) -> bool) {
    within(async {
        while !monitor
            .streams()
            .iter()
            .flat_map(|stream| &stream.shards)
            .all(&expected)
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_monitor_shows_how_far_the_subscriptions_have_read_and_settled() {
    let live = OneStream::embedded(1).await;
    let broker = live.broker().lease_timings(lasting(Duration::from_secs(1)));
    let monitor = broker.monitor();
    assert_eq!(monitor.streams(), []);
    let (connected, mut subscriber) = live.open(broker).await;
    let streams = monitor.streams();
    assert_eq!(streams.len(), 1);
    assert_eq!(streams[0].stream, live.stream());
    let [unread] = &streams[0].shards[..] else {
        panic!("one shard, not {streams:?}");
    };
    assert_eq!(unread.shard, shard(0));
    assert_eq!(
        (unread.behind, unread.unsettled, unread.held_for),
        (None, 0, None)
    );

    live.put_many("key", 0..3).await;
    let [first, second, third] = records(&mut subscriber, 3).await.try_into().expect("three");
    shows(&monitor, |shard| shard.unsettled == 3).await;
    second.ack().await.expect("acknowledged");
    third.ack().await.expect("acknowledged");
    // The first one holds the watermark.
    shows(&monitor, |shard| shard.unsettled == 1).await;
    shows(&monitor, |shard| {
        shard.held_for.is_some_and(|held| !held.is_zero())
    })
    .await;
    shows(&monitor, |shard| shard.behind == Some(Duration::ZERO)).await;
    first.ack().await.expect("acknowledged");
    shows(&monitor, |shard| {
        shard.unsettled == 0 && shard.held_for.is_none()
    })
    .await;

    drop(subscriber);
    within(async {
        while !monitor.streams().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    connected.shutdown().await.expect("shuts down");
    assert_eq!(monitor.streams(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_monitor_shows_how_far_behind_the_service_says_a_shard_is() {
    let live = OneStream::embedded(1).await;
    let broker = live.broker();
    let monitor = broker.monitor();
    let (_connected, mut subscriber) = live.open(broker).await;
    let reads = On::operation("GetRecords");
    let behind = live.stack().faults().always(reads, Fault::EmptyPageBehind);
    let reading = tokio::spawn(async move { handle(&mut subscriber, 1).await });
    shows(&monitor, |shard| {
        shard.behind == Some(Duration::from_secs(1))
    })
    .await;
    behind.remove();
    shows(&monitor, |shard| shard.behind == Some(Duration::ZERO)).await;
    live.put("key", "first").await;
    assert_eq!(within(reading).await.expect("no panic"), ["first"]);
}

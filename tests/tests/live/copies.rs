//! Replies, slots and retry copies of running services, as they are on the wire.

use std::convert::Infallible;
use std::time::Duration;

use aws_sdk_kinesis::primitives::Blob;
use aws_sdk_kinesis::types::Record;
use ruststream::runtime::{RETRY_COUNT_HEADER, RunningApp};
use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};
use tests::live::{OneStream, shard, within};
use tests::store::RecordingStore;
use tests::wire::{arn, create, envelope, opened, retained, retained_at_last};
use tokio::sync::mpsc;

const POLL: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "receipts")]
struct Receipt {
    order: u64,
}

/// The slot the receipts leave through.
#[derive(OutSlot)]
#[publishes(Receipt)]
struct Receipts;

#[subscriber(KinesisStream, reply)]
async fn confirm(order: &Order) -> Receipt {
    Receipt { order: order.id }
}

/// Names the key of each receipt.
#[subscriber(KinesisStream)]
async fn file(
    order: &Order,
    Out(receipts): Out<impl Publisher<Options = KinesisPublishOptions>, Receipts>,
) -> HandlerOutcome {
    let receipt = Receipt { order: order.id };
    let sent = receipts.message(&receipt).partition_key("tenant-acme");
    match sent.publish().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

#[subscriber(KinesisStream)]
async fn never(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::retry()
}

/// Asks for one pause, and tells when each delivery came.
#[subscriber(KinesisStream)]
async fn later(
    order: &Order,
    ctx: &mut Context<'_, (), mpsc::UnboundedSender<(u64, bool)>>,
) -> HandlerOutcome {
    let counted = ctx.headers().get_str(RETRY_COUNT_HEADER).is_some();
    ctx.state()
        .send((order.id, counted))
        .expect("the test listens");
    if counted || order.id.is_multiple_of(2) {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::retry_after(PAUSE)
    }
}

fn info() -> AppInfo {
    AppInfo::new("orders", "0.1.0")
}

async fn start(app: impl Future<Output = Result<RunningApp, impl std::fmt::Debug>>) -> RunningApp {
    within(app).await.expect("the app starts")
}

async fn stop(running: RunningApp) {
    within(running.shutdown()).await.expect("the app stops");
}

fn keys(records: &[Record]) -> Vec<&str> {
    let keys = records.iter().map(|record| record.partition_key());
    keys.map(|key| key.expect("a key")).collect()
}

/// The value of that header in a record's envelope.
fn header(record: &Record, name: &str) -> Option<String> {
    let (headers, _) = opened(record.data.as_ref())?;
    let (_, value) = headers.into_iter().find(|(header, _)| header == name)?;
    Some(String::from_utf8_lossy(&value).into_owned())
}

/// Writes an order with a header of its own.
async fn put_order(live: &OneStream) -> String {
    let put = live.client().put_record().stream_name(live.stream());
    let data = envelope(&[("tenant", b"acme")], br#"{"id":5}"#);
    let put = put.partition_key("tenant-acme").data(Blob::new(data));
    let written = put.send().await.expect("the order is written");
    written.sequence_number
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_takes_the_key_its_policy_names() {
    let live = OneStream::embedded(1).await;
    create(live.client(), "receipts").await;
    let stream = live.stream().to_owned();
    let app = RustStream::new(info()).with_broker(live.broker(), |b| {
        b.include(confirm.name(stream).poll_interval(POLL))
            .out_reply(Publish::default())
            .partition_key("receipts-v1");
    });
    let running = start(app.start()).await;
    for id in [7, 8] {
        live.put("key", &format!(r#"{{"id":{id}}}"#)).await;
    }
    let receipts = retained_at_last(live.client(), "receipts", 2).await;
    assert_eq!(keys(&receipts), ["receipts-v1", "receipts-v1"]);
    stop(running).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_without_a_policy_leaves_through_the_default_one_with_a_key_of_its_own() {
    let live = OneStream::embedded(1).await;
    create(live.client(), "receipts").await;
    let stream = live.stream().to_owned();
    let app = RustStream::new(info()).with_broker(live.broker(), |b| {
        b.include(confirm.name(stream).poll_interval(POLL));
    });
    let running = start(app.start()).await;
    for id in [7, 8] {
        live.put("key", &format!(r#"{{"id":{id}}}"#)).await;
    }
    let receipts = retained_at_last(live.client(), "receipts", 2).await;
    let [one, other] = keys(&receipts)[..] else {
        panic!("two receipts, not {receipts:?}");
    };
    assert_ne!(one, other);
    assert!(![one, other].contains(&"key"), "{one} {other}");
    stop(running).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_step_of_a_handler_wins_over_the_policy_of_its_slot() {
    let live = OneStream::embedded(1).await;
    create(live.client(), "receipts").await;
    let stream = live.stream().to_owned();
    let app = RustStream::new(info()).with_broker(live.broker(), |b| {
        b.include(file.name(stream).poll_interval(POLL))
            .out(Receipts, Publish::default().partition_key("policy"))
            .build();
    });
    let running = start(app.start()).await;
    live.put("key", r#"{"id":7}"#).await;
    let receipts = retained_at_last(live.client(), "receipts", 1).await;
    assert_eq!(keys(&receipts), ["tenant-acme"]);
    stop(running).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_capped_record_is_copied_with_its_count_and_leaves_as_it_arrived_when_spent() {
    let live = OneStream::embedded(1).await;
    create(live.client(), "unsettled").await;
    // The copies go to the address the descriptor reports, which may be an ARN.
    for named in [
        live.stream().to_owned(),
        arn(live.client(), live.stream()).await,
    ] {
        let store = RecordingStore::new();
        let before = retained(live.client(), live.stream()).await.len();
        let broker = live.broker().lease_store(store.clone());
        let app = RustStream::new(info()).with_broker(broker, |b| {
            b.include(never.name(named.clone()).poll_interval(POLL))
                .max_attempts(nonzero!(3))
                .dead_letter("unsettled");
        });
        let running = start(app.start()).await;
        put_order(&live).await;
        let orders = retained_at_last(live.client(), live.stream(), before + 3).await;
        let orders = &orders[before..];
        assert_eq!(keys(orders), ["tenant-acme"; 3]);
        for (copies, order) in orders.iter().enumerate() {
            let count = header(order, RETRY_COUNT_HEADER);
            assert_eq!(count, (copies > 0).then(|| copies.to_string()));
            assert_eq!(header(order, "tenant").as_deref(), Some("acme"));
        }
        // The shard is checkpointed past the spent record.
        store
            .stores(&named, &shard(0), orders[2].sequence_number())
            .await;
        stop(running).await;
        assert_eq!(
            retained(live.client(), live.stream()).await.len(),
            before + 3
        );
    }
    let spent = retained_at_last(live.client(), "unsettled", 2).await;
    assert_eq!(keys(&spent), ["tenant-acme"; 2]);
    for spent in &spent {
        assert_eq!(header(spent, "tenant").as_deref(), Some("acme"));
        let (_, payload) = opened(spent.data.as_ref()).expect("an envelope");
        assert_eq!(payload, br#"{"id":5}"#);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cap_without_a_dead_letter_checkpoints_past_the_spent_record() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let stream = live.stream().to_owned();
    let broker = live.broker().lease_store(store.clone());
    let app = RustStream::new(info()).with_broker(broker, |b| {
        b.include(never.name(stream).poll_interval(POLL))
            .max_attempts(nonzero!(2));
    });
    let running = start(app.start()).await;
    put_order(&live).await;
    let orders = retained_at_last(live.client(), live.stream(), 2).await;
    store
        .stores(live.stream(), &shard(0), orders[1].sequence_number())
        .await;
    stop(running).await;
    assert_eq!(retained(live.client(), live.stream()).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_declaration_a_retry_publishes_nothing_and_holds_the_shard() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let stream = live.stream().to_owned();
    let broker = live.broker().lease_store(store.clone());
    let monitor = broker.monitor();
    let app = RustStream::new(info()).with_broker(broker, |b| {
        b.include(never.name(stream).poll_interval(POLL));
    });
    let running = start(app.start()).await;
    put_order(&live).await;
    within(async {
        while monitor.streams()[0].shards[0].unsettled == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    stop(running).await;
    assert_eq!(store.checkpoints(), [""; 0]);
    assert_eq!(retained(live.client(), live.stream()).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn out_retry_names_the_publisher_and_the_key_of_the_copies() {
    let live = OneStream::embedded(1).await;
    create(live.client(), "unsettled").await;
    let stream = live.stream().to_owned();
    let app = RustStream::new(info()).with_broker(live.broker(), |b| {
        b.include(never.name(stream).poll_interval(POLL))
            .max_attempts(nonzero!(2))
            .dead_letter("unsettled")
            .out_retry(Publish::default())
            .partition_key("retries");
    });
    let running = start(app.start()).await;
    put_order(&live).await;
    let spent = retained_at_last(live.client(), "unsettled", 1).await;
    assert_eq!(keys(&spent), ["retries"]);
    let orders = retained(live.client(), live.stream()).await;
    assert_eq!(keys(&orders), ["tenant-acme", "retries"]);
    for record in orders.iter().chain(&spent) {
        // The copy carries the record's own bytes and headers.
        assert_eq!(header(record, "tenant").as_deref(), Some("acme"));
        let (_, payload) = opened(record.data.as_ref()).expect("an envelope");
        assert_eq!(payload, br#"{"id":5}"#);
    }
    stop(running).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delayed_retry_is_a_counted_copy_at_the_tip_once_the_delay_is_over() {
    let live = OneStream::embedded(1).await;
    let (told, mut deliveries) = mpsc::unbounded_channel();
    let stream = live.stream().to_owned();
    let app = RustStream::new(info())
        .on_startup(async |()| Ok::<_, Infallible>(told))
        .with_broker(live.broker(), |b| {
            b.include(later.name(stream).poll_interval(POLL));
        });
    let running = start(app.start()).await;
    for id in [5, 6] {
        live.put("key", &format!(r#"{{"id":{id}}}"#)).await;
    }
    for expected in [(5, false), (6, false), (5, true)] {
        assert_eq!(within(deliveries.recv()).await, Some(expected));
    }
    stop(running).await;
    let orders = retained(live.client(), live.stream()).await;
    let apart = arrived(&orders[2]) - arrived(&orders[0]);
    assert!(apart >= PAUSE.as_secs_f64(), "{apart}");
}

fn arrived(record: &Record) -> f64 {
    record
        .approximate_arrival_timestamp()
        .expect("the service stamps each record")
        .as_secs_f64()
}

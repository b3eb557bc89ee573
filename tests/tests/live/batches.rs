//! Batches: what a read asks for, what a batch carries, and how its records settle.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use kinesis_stack::On;
use ruststream::{BatchSubscriber, Broker, IncomingMessage};
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisMessage, KinesisSubscriber, SHARD_HEADER};
use serde::Deserialize;
use tests::live::{OneStream, handle, shard, text, within};
use tests::store::{Op, RecordingStore};
use tokio::sync::mpsc;

#[derive(Debug, Clone, Copy, Deserialize)]
struct Order {
    id: usize,
}

/// What the handlers tell the test: the ids of each batch.
type Told = mpsc::UnboundedSender<Vec<usize>>;

#[subscriber(KinesisStream)]
async fn digest(batch: &[Order], ctx: &mut Context<'_, (), Told>) -> HandlerOutcome {
    let ids = batch.iter().map(|order| order.id).collect();
    ctx.state().send(ids).expect("the test listens");
    HandlerOutcome::ack()
}

/// Starts over once, when it has seen the last order.
#[subscriber(KinesisStream)]
async fn starting_over(
    batch: &[Order],
    ctx: &mut Context<'_, KinesisBatchContext, (Told, Arc<Mutex<bool>>)>,
) -> HandlerOutcome {
    let ids: Vec<_> = batch.iter().map(|order| order.id).collect();
    let (told, started_over) = ctx.state();
    told.send(ids.clone()).expect("the test listens");
    let again =
        ids.contains(&3) && !std::mem::replace(&mut *started_over.lock().expect("no panic"), true);
    let horizon = KinesisPosition::horizon();
    if again && ctx.context(SeekHandle).seek(horizon).await.is_err() {
        return HandlerOutcome::retry();
    }
    HandlerOutcome::ack()
}

async fn next_batch(subscriber: &mut KinesisSubscriber, size: usize) -> Vec<KinesisMessage> {
    let size = NonZeroUsize::new(size).expect("a size");
    let mut batches = pin!(subscriber.batches(size));
    let batch = within(batches.next()).await;
    batch
        .expect("the stream goes on")
        .expect("a batch, not a report")
}

/// What every read so far asked for.
fn limits(live: &OneStream) -> BTreeSet<u64> {
    let reads = live.stack().calls().selected(&On::operation("GetRecords"));
    let limits = reads.iter().map(|read| read.request["Limit"].as_u64());
    limits.map(|limit| limit.expect("a limit")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_size_of_a_batch_is_what_every_read_asks_for_from_the_first_poll_on() {
    let live = OneStream::embedded(2).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "first").await;
    // A read before the first poll would have asked without knowing the size.
    let batch = next_batch(&mut subscriber, 7).await;
    assert_eq!(batch.len(), 1);
    assert_eq!(limits(&live), [7].into());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_that_is_dropped_before_its_first_poll_reads_nothing() {
    const SUBSCRIPTIONS: usize = 20;
    let live = OneStream::embedded(2).await;
    let store = RecordingStore::new();
    let connected = live.broker().lease_store(store.clone()).connect().await;
    let connected = connected.expect("the broker connects");
    for _ in 0..SUBSCRIPTIONS {
        drop(live.subscribe(&connected).await);
    }
    store.answered(Op::Release, 2 * SUBSCRIPTIONS).await;
    assert_eq!(limits(&live), BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_larger_than_the_service_gives_asks_for_as_much_as_it_gives() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "first").await;
    next_batch(&mut subscriber, 20_000).await;
    assert_eq!(limits(&live), [10_000].into());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_read_one_by_one_asks_for_as_much_as_the_service_gives() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "first").await;
    handle(&mut subscriber, 1).await;
    assert_eq!(limits(&live), [10_000].into());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mount_site_names_the_size() {
    let live = OneStream::embedded(1).await;
    let (told, mut batches) = mpsc::unbounded_channel();
    let stream = live.stream().to_owned();
    let app = RustStream::new(AppInfo::new("orders", "0.1.0"))
        .on_startup(async |()| Ok::<_, Infallible>(told))
        .with_broker(live.broker(), |b| {
            b.include(
                digest
                    .name(stream)
                    .batch(nonzero!(500))
                    .poll_interval(Duration::from_millis(200)),
            );
        });
    let running = app.start().await.expect("the app starts");
    live.put("key", r#"{"id":1}"#).await;
    assert_eq!(within(batches.recv()).await, Some(vec![1]));
    assert_eq!(limits(&live), [500].into());
    running.shutdown().await.expect("the app stops");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_batch_carries_more_records_than_it_named_and_none_is_lost() {
    let live = OneStream::embedded(2).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let mut expected = BTreeSet::new();
    for number in 0..11_u128 {
        let spread = u128::MAX / 11 * number;
        live.put_at(spread, &number.to_string()).await;
        expected.insert(number.to_string());
    }
    let mut seen = BTreeSet::new();
    while seen.len() < expected.len() {
        let batch = next_batch(&mut subscriber, 2).await;
        assert!((1..=2).contains(&batch.len()), "{batch:?}");
        for record in batch {
            assert!(seen.insert(text(&record)), "delivered twice: {record:?}");
            record.ack().await.expect("acknowledged");
        }
    }
    assert_eq!(seen, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_mixes_the_records_of_all_shards() {
    let live = OneStream::embedded(2).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_at(0, "low").await;
    live.put_at(u128::MAX, "high").await;
    let mut batches = pin!(subscriber.batches(nonzero!(10)));
    // The first poll starts the readers; a shard's second read comes after its page is handed over.
    assert!(batches.next().now_or_never().is_none());
    for number in 0..2 {
        let reads = On::operation("GetRecords").shard(shard(number));
        within(live.stack().calls().reach(&reads, 2)).await;
    }
    let batch = within(batches.next())
        .await
        .expect("goes on")
        .expect("a batch");
    let shards = batch.iter().map(|record| {
        let shard = record.headers().get_str(SHARD_HEADER);
        shard.expect("every delivery names its shard").to_owned()
    });
    assert_eq!(shards.collect::<BTreeSet<_>>(), [shard(0), shard(1)].into());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_record_of_a_batch_settles_on_its_own() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put_many("key", 0..3).await;
    let batch = next_batch(&mut subscriber, 3).await;
    let [first, second, third] = batch.try_into().expect("all that were there");
    third.ack().await.expect("acknowledged");
    assert_eq!(store.checkpoints(), [""; 0]);
    first.ack().await.expect("acknowledged");
    assert_eq!(store.checkpoints(), [written[0].sequence.clone()]);
    second.ack().await.expect("acknowledged");
    assert_eq!(store.checkpoints().last(), Some(&written[2].sequence));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_handler_seeks_through_its_context() {
    let live = OneStream::embedded(1).await;
    let (told, mut batches) = mpsc::unbounded_channel();
    let stream = live.stream().to_owned();
    let app = RustStream::new(AppInfo::new("orders", "0.1.0"))
        .on_startup(async |()| Ok::<_, Infallible>((told, Arc::default())))
        .with_broker(live.broker(), |b| {
            b.include(
                starting_over
                    .name(stream)
                    .batch(nonzero!(10))
                    .poll_interval(Duration::from_millis(200)),
            );
        });
    let running = app.start().await.expect("the app starts");
    for id in 1..=3 {
        live.put("key", &format!(r#"{{"id":{id}}}"#)).await;
    }
    let mut ids = Vec::new();
    while ids.len() < 6 {
        ids.extend(within(batches.recv()).await.expect("the app runs"));
    }
    assert_eq!(ids, [1, 2, 3, 1, 2, 3]);
    running.shutdown().await.expect("the app stops");
}

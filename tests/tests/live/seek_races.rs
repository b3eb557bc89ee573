//! Seeks that meet a batch being filled, a shard's end being stored, or each other.

use std::num::NonZeroUsize;
use std::pin::pin;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use kinesis_stack::On;
use ruststream::{BatchSubscriber, IncomingMessage, Seekable, Seeker, Subscriber};
use ruststream_kinesis::KinesisPosition;
use tests::live::{OneStream, handle, record, seek, shard, text, within};
use tests::store::{Op, RecordingStore, Twist};
use tokio::time::sleep;

/// By how much the calls of busy cores arrive apart from how they were sent. A reader that forgot
/// what was read before a seek would need a second and a half for its sixteen.
const JITTER: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_half_filled_at_a_seek_is_not_delivered_after_it() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    let size = NonZeroUsize::new(10).expect("a size");
    let mut batches = pin!(subscriber.batches(size));
    assert!(batches.next().now_or_never().is_none());
    live.put("key", "old").await;
    sleep(Duration::from_millis(600)).await;
    // Takes the record into a batch, which waits for more.
    assert!(batches.next().now_or_never().is_none());
    seek(&seeker, KinesisPosition::latest()).await;
    live.put("key", "new").await;
    let batch = within(batches.next()).await.expect("the stream goes on");
    let batch = batch.expect("a batch, not a report");
    let batch: Vec<_> = batch.iter().map(text).collect();
    assert_eq!(batch, ["new"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_while_the_end_of_a_shard_is_being_stored_is_followed_or_refused() {
    for delay in [0, 2, 5, 20, 100] {
        let live = OneStream::embedded(1).await;
        let store = RecordingStore::new();
        let slow = Duration::from_millis(50);
        store.always(Op::Checkpoint, Twist::Delay(slow));
        let broker = live.broker().lease_store(store.clone());
        let (_connected, mut subscriber) = live.open(broker).await;
        let first = live.put("key", "parent").await;
        let parent = record(&mut subscriber).await;
        live.split(&shard(0)).await;
        // The reader meets the end.
        sleep(Duration::from_millis(900)).await;
        let ack = tokio::spawn(parent.ack());
        sleep(slow + Duration::from_millis(delay)).await;
        let to = KinesisPosition::sequence(&first.shard, &first.sequence);
        let sought = within(subscriber.seeker().seek(to)).await;
        // The seek may have come before it.
        let _ = within(ack).await.expect("no panic");
        live.put_at(0, "left").await;
        let expected: &[&str] = match sought {
            Ok(()) => &["parent", "left"],
            Err(_) => &["left"],
        };
        let read = handle(&mut subscriber, expected.len()).await;
        assert_eq!(read, expected, "{delay} {sought:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_seeks_keeps_every_shard_within_its_reads_a_second() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "left").await;
    handle(&mut subscriber, 1).await;
    let seeker = subscriber.seeker();
    let reading = tokio::spawn(async move {
        let mut stream = pin!(subscriber.stream());
        while let Some(item) = stream.next().await {
            if let Ok(record) = item {
                let _ = record.ack().await;
            }
        }
    });
    live.stack().calls().clear();
    for _ in 0..50 {
        // Each makes a fresh reader of the finished parent.
        seek(&seeker, KinesisPosition::horizon()).await;
        sleep(Duration::from_millis(100)).await;
    }
    reading.abort();
    for number in 0..2 {
        let reads = On::operation("GetRecords").shard(shard(number));
        let reads = live.stack().calls().selected(&reads);
        // Three seconds' worth, so that reads that wait for their turn at a busy server fall within
        // what is allowed.
        for window in reads.windows(16) {
            let sixteen = window[15].at - window[0].at;
            assert!(
                sixteen + JITTER >= Duration::from_secs(3),
                "sixteen reads in {sixteen:?}"
            );
        }
    }
}

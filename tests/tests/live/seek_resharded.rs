//! Moving a subscription whose stream was resharded.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use ruststream::{IncomingMessage, Seekable, Seeker, Subscriber};
use ruststream_kinesis::{KinesisError, KinesisPosition, KinesisSubscriber};
use tests::live::{
    OneStream, between, handle, handle_sorted, nothing, now, numbers, record, seek, shard, text,
    within,
};
use tokio::sync::oneshot;

/// Asserts that there are that many keys, each with its generations in order and once.
fn assert_in_order(read: &[String], keys: usize, generations: usize) {
    let mut of_keys: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for read in read {
        let (key, generation) = read.split_once(' ').expect("a key and a generation");
        of_keys.entry(key).or_default().push(generation);
    }
    assert_eq!(of_keys.len(), keys);
    for (key, read) in of_keys {
        assert_eq!(read, numbers(0..generations), "{key}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_wide_position_reaches_shards_found_later() {
    let latest = ["left", "right"];
    let horizon = ["before", "left", "right"];
    for (name, expected) in [
        ("latest", &latest[..]),
        ("timestamp", &latest),
        ("horizon", &horizon),
    ] {
        let live = OneStream::embedded(1).await;
        let (_connected, mut subscriber) = live.open(live.broker()).await;
        live.put("key", "before").await;
        handle(&mut subscriber, 1).await;
        let to = match name {
            "latest" => KinesisPosition::latest(),
            "timestamp" => KinesisPosition::timestamp(between().await),
            _ => KinesisPosition::horizon(),
        };
        seek(&subscriber.seeker(), to).await;
        live.split(&shard(0)).await;
        live.put_at(0, "left").await;
        live.put_at(u128::MAX, "right").await;
        let read = handle_sorted(&mut subscriber, expected.len()).await;
        assert_eq!(read, expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn latest_is_one_instant_for_children_that_wait_for_their_parent() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "parent").await;
    // Unsettled, it keeps the children waiting.
    let parent = record(&mut subscriber).await;
    live.split(&shard(0)).await;
    live.put_at(0, "skipped").await;
    // The service's clock shows seconds.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    seek(&subscriber.seeker(), KinesisPosition::latest()).await;
    live.put_at(0, "left").await;
    live.put_at(u128::MAX, "right").await;
    parent.ack().await.expect("acknowledged");
    assert_eq!(handle_sorted(&mut subscriber, 2).await, ["left", "right"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_to_the_horizon_reads_a_finished_parent_again_before_its_children() {
    const KEYS: usize = 6;
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let write = async |generation: usize| {
        for key in 0..KEYS {
            live.put(&key.to_string(), &format!("{key} {generation}"))
                .await;
        }
    };
    write(0).await;
    handle(&mut subscriber, KEYS).await;
    live.split(&shard(0)).await;
    write(1).await;
    handle(&mut subscriber, KEYS).await;
    live.split(&shard(1)).await;
    write(2).await;
    handle(&mut subscriber, KEYS).await;

    for to in [KinesisPosition::horizon(), KinesisPosition::timestamp(0)] {
        seek(&subscriber.seeker(), to).await;
        assert_in_order(&handle(&mut subscriber, 3 * KEYS).await, KEYS, 3);
    }
    nothing(&mut subscriber, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_later_position_replaces_that_of_children_that_still_wait_for_their_replayed_parent() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "left").await;
    live.put_at(u128::MAX, "right").await;
    handle(&mut subscriber, 2).await;
    // The service's clock shows seconds.
    tokio::time::sleep(Duration::from_millis(1_100)).await;

    seek(&seeker, KinesisPosition::horizon()).await;
    let parent = record(&mut subscriber).await;
    assert_eq!(text(&parent), "parent");
    seek(&seeker, KinesisPosition::latest()).await;
    parent.ack().await.expect("it moves nothing");
    live.put_at(0, "left after").await;
    live.put_at(u128::MAX, "right after").await;
    let read = handle_sorted(&mut subscriber, 2).await;
    assert_eq!(read, ["left after", "right after"]);
}

/// Handles what comes until it is told to stop.
async fn handle_until(
    mut subscriber: KinesisSubscriber,
    stop: oneshot::Receiver<()>,
) -> KinesisSubscriber {
    {
        let handling = async {
            let mut stream = std::pin::pin!(subscriber.stream());
            while let Some(item) = stream.next().await {
                let acked = item.expect("a record, not a report").ack().await;
                acked.expect("the record is acknowledged");
            }
        };
        futures::future::select(std::pin::pin!(handling), stop).await;
    }
    subscriber
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_seeks_across_a_split_loses_nothing() {
    const KEYS: usize = 5;
    const ROUNDS: usize = 12;
    let live = OneStream::embedded(2).await;
    let (_connected, subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    let first = live.put("0", "0 0").await;
    let (stop, stopped) = oneshot::channel();
    let handling = tokio::spawn(handle_until(subscriber, stopped));
    let storm = |offset: usize| {
        let (seeker, first) = (seeker.clone(), first.clone());
        tokio::spawn(async move {
            for round in 0..ROUNDS {
                let to = match (round + offset) % 4 {
                    0 => KinesisPosition::horizon(),
                    1 => KinesisPosition::latest(),
                    2 => KinesisPosition::timestamp(now() - 500),
                    _ => KinesisPosition::sequence(&first.shard, &first.sequence),
                };
                match within(seeker.seek(to)).await {
                    // The shard may be read to its end, or wait to be read again.
                    Ok(()) | Err(KinesisError::Read { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
    };
    let storms = [storm(0), storm(1), storm(2)];
    for generation in 0..4 {
        for key in usize::from(generation == 0)..KEYS {
            live.put(&key.to_string(), &format!("{key} {generation}"))
                .await;
        }
        if generation == 1 {
            live.split(&shard(0)).await;
            live.split(&shard(1)).await;
        }
    }
    for storm in storms {
        storm.await.expect("no panic");
    }
    stop.send(()).expect("the handler runs");
    let mut subscriber = within(handling).await.expect("no panic");

    seek(&seeker, KinesisPosition::horizon()).await;
    assert_in_order(&handle(&mut subscriber, 4 * KEYS).await, KEYS, 4);
}

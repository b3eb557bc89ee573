//! What comes together with a hand-over: seeks, splits, outages, and streams created again.

use std::collections::BTreeSet;
use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use ruststream::{IncomingMessage, Seekable, Subscriber};
use ruststream_kinesis::{
    ConnectedKinesisBroker, KinesisBroker, KinesisPosition, KinesisSubscriber,
};
use tests::live::{
    OneStream, Process, SLACK, delivered, handle, handle_sorted, item, nothing, numbers, record,
    records, seek, shard, text, within,
};
use tests::store::SeeingStore;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

/// What the instances' shares may take to be as they are to be.
const SHARED_WITHIN: Duration = Duration::from_secs(15);

fn instance(live: &OneStream, store: &Arc<SeeingStore>, id: &str) -> KinesisBroker {
    live.leasing(store, Duration::from_secs(3)).owner_id(id)
}

fn read_by(connected: &ConnectedKinesisBroker) -> BTreeSet<String> {
    let shown = connected.snapshot();
    let shards = shown.into_iter().flat_map(|stream| stream.shards);
    shards.map(|shard| shard.shard).collect()
}

/// Waits until `a` and `b` read the shards of those numbers together, evenly.
async fn shared(a: &ConnectedKinesisBroker, b: &ConnectedKinesisBroker, shards: Range<usize>) {
    let shards: BTreeSet<_> = shards.map(shard).collect();
    let held = || (read_by(a), read_by(b));
    let all = async {
        loop {
            let (a, b) = held();
            if &a | &b == shards && a.is_disjoint(&b) && a.len().abs_diff(b.len()) <= 1 {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    let came = timeout(SHARED_WITHIN + SLACK, all).await;
    assert!(came.is_ok(), "{:?} of {shards:?}", held());
}

/// Handles whatever comes; reports are about what the test does to the store.
fn handling(mut subscriber: KinesisSubscriber) -> AbortHandle {
    let handling = tokio::spawn(async move {
        let mut stream = pin!(subscriber.stream());
        while let Some(item) = stream.next().await {
            if let Ok(record) = item {
                let _ = record.ack().await;
            }
        }
    });
    handling.abort_handle()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bounded_instance_reads_its_shards_again_after_a_replay_next_to_another() {
    let live = OneStream::embedded(1).await;
    let store = SeeingStore::new();
    let (a, mut subscriber) = live.open(instance(&live, &store, "a").max_leases(2)).await;
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.split(&shard(1)).await;
    let seeker = subscriber.seeker();
    let reading = handling(subscriber);
    let (b, other) = live.open(instance(&live, &store, "b")).await;
    let also_reading = handling(other);
    shared(&a, &b, 2..5).await;
    seek(&seeker, KinesisPosition::horizon()).await;
    shared(&a, &b, 2..5).await;
    reading.abort();
    also_reading.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_child_of_a_split_waits_for_a_listing_where_another_instance_waits_for_shards() {
    let live = OneStream::embedded(1).await;
    let store = SeeingStore::new();
    let (a, one) = live.open(instance(&live, &store, "a")).await;
    let (b, other) = live.open(instance(&live, &store, "b")).await;
    let reading = [handling(one), handling(other)];
    live.put("key", "parent").await;
    live.split(&shard(0)).await;
    let children = BTreeSet::from([shard(1), shard(2)]);
    let mut unread_since = Instant::now();
    let mut longest = Duration::ZERO;
    let watched = Instant::now();
    while watched.elapsed() < Duration::from_secs(16) {
        if &read_by(&a) | &read_by(&b) == children {
            unread_since = Instant::now();
        }
        longest = longest.max(unread_since.elapsed());
        sleep(Duration::from_millis(50)).await;
    }
    assert!(longest < Duration::from_secs(3) + SLACK, "{longest:?}");
    assert_eq!((read_by(&a).len(), read_by(&b).len()), (1, 1));
    reading.iter().for_each(AbortHandle::abort);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_whose_release_failed_are_shared_once_another_instance_comes() {
    let live = OneStream::embedded(4).await;
    let store = SeeingStore::new();
    let (a, subscriber) = live.open(instance(&live, &store, "a")).await;
    store.fail_releases(4);
    drop(subscriber);
    let reading = handling(live.subscribe(&a).await);
    let (b, other) = live.open(instance(&live, &store, "b")).await;
    let also_reading = handling(other);
    shared(&a, &b, 0..4).await;
    reading.abort();
    also_reading.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_rows_cannot_be_seen_no_shard_moves_though_the_members_can() {
    let live = OneStream::embedded(4).await;
    let store = SeeingStore::new();
    store.blind();
    let (a, one) = live.open(instance(&live, &store, "a")).await;
    let (b, other) = live.open(instance(&live, &store, "b")).await;
    let reading = [handling(one), handling(other)];
    sleep(Duration::from_secs(12)).await;
    let taken = store.takes();
    // Twice as long as a shard that was given up in vain takes to come back.
    sleep(Duration::from_secs(20)).await;
    assert_eq!(store.takes(), taken);
    assert_eq!((read_by(&a).len(), read_by(&b).len()), (4, 0));
    reading.iter().for_each(AbortHandle::abort);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_on_its_way_to_another_instance_waits_for_its_parent_that_a_seek_replays() {
    let live = OneStream::embedded(1).await;
    let store = SeeingStore::new();
    let (a, mut one) = live.open(instance(&live, &store, "a")).await;
    live.put("key", "parent").await;
    handle(&mut one, 1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "left").await;
    live.put_at(u128::MAX, "right").await;
    let children = records(&mut one, 2).await;
    let (_b, mut other) = live.open(instance(&live, &store, "b")).await;
    // One child is about to be handed over: its delivery is not settled yet.
    let leaving = async {
        while read_by(&a).is_empty() {
            sleep(Duration::from_millis(50)).await;
        }
        sleep(Duration::from_secs(2)).await;
    };
    within(leaving).await;
    seek(&one.seeker(), KinesisPosition::horizon()).await;
    let parent = record(&mut one).await;
    assert_eq!(text(&parent), "parent");
    drop(children);
    nothing(&mut other, Duration::from_secs(8)).await;
    parent.ack().await.expect("the lease is held");
    let mut handled = BTreeSet::new();
    while handled.len() < 2 {
        let record = tokio::select! {
            record = item(&mut one) => record,
            record = item(&mut other) => record,
        };
        let record = record.expect("a record, not a report");
        handled.insert(text(&record));
        // What moved meanwhile is delivered to its next owner.
        let _ = record.ack().await;
    }
    assert_eq!(handled.into_iter().collect::<Vec<_>>(), ["left", "right"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_created_again_while_it_is_read_is_read_on_its_finished_shard_too() {
    let live = OneStream::embedded(1).await;
    let store = SeeingStore::new();
    let (_a, mut subscriber) = live.open(instance(&live, &store, "a")).await;
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "left").await;
    live.put_at(u128::MAX, "right").await;
    handle_sorted(&mut subscriber, 2).await;
    live.create_again(1).await;
    live.put("key", "new").await;
    // The readers of the shards that are gone report it.
    let new = timeout(Duration::from_mins(1), delivered(&mut subscriber)).await;
    assert_eq!(text(&new.expect("the new stream is read")), "new");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_goes_on_at_an_instance_that_knew_its_shard_as_finished() {
    let live = OneStream::embedded(1).await;
    let store = SeeingStore::new();
    let process = Process::start();
    let (_a, mut one) = process
        .subscribe(instance(&live, &store, "a"), live.source())
        .await;
    let (b, mut other) = live.open(instance(&live, &store, "b")).await;
    live.put_many("key", 0..4).await;
    assert_eq!(handle(&mut one, 4).await, numbers(0..4));
    live.split(&shard(0)).await;
    // The other one takes a child, so it knows of the end of the parent.
    let knows = async {
        loop {
            let _ = timeout(Duration::from_millis(100), item(&mut one)).await;
            let _ = timeout(Duration::from_millis(100), item(&mut other)).await;
            if read_by(&b).len() == 1 {
                break;
            }
        }
    };
    within(knows).await;
    seek(&one.seeker(), KinesisPosition::horizon()).await;
    assert_eq!(handle(&mut one, 1).await, numbers(0..1));
    process.kill();
    assert_eq!(handle(&mut other, 3).await, numbers(1..4));
}

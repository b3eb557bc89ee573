//! Splits and merges: every record is read, parents before children, and what ended is left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::{FutureExt, StreamExt};
use kinesis_stack::{Fault, On};
use ruststream::{IncomingMessage, Positioned, Seekable, Subscriber};
use ruststream_kinesis::{KinesisError, KinesisPosition, KinesisStream, SHARD_END};
use tests::live::{
    OneStream, SLACK, handle, handle_sorted, item, nothing, numbers, record, records, report, seek,
    shard, text, within,
};
use tests::or_skip;
use tests::store::{Op, RecordingStore, Which, left_at};
use tokio::time::timeout;

/// The first hash key of a second half, and with it of the second child of a lone shard.
const UPPER: u128 = u128::MAX / 2 + 1;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_read_to_its_end_is_marked_and_released_and_its_children_start_at_once() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put("key", "parent").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["parent"]);
    live.split(&shard(0)).await;
    live.put_at(0, "lower").await;
    live.put_at(UPPER, "upper").await;
    let split = Instant::now();
    let handled = handle_sorted(&mut subscriber, 2).await;
    // At most a second's reads see the parent's end, and no listing ten seconds on is waited for.
    assert!(split.elapsed() < Duration::from_secs(1) + SLACK);
    assert_eq!(handled, ["lower", "upper"]);
    store.stores(live.stream(), &shard(0), SHARD_END).await;

    let ended = store
        .answered(Which::from(Op::Release).shard(shard(0)), 1)
        .await;
    for child in [1, 2] {
        let taken = store.calls(Which::from(Op::Acquire).shard(shard(child)));
        assert!(
            taken[0].at >= ended[0].at,
            "a child started before its parent ended"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_keeps_its_order_across_splits_with_a_backlog() {
    const EACH: usize = 40;
    let live = or_skip!(OneStream::start(1));
    // Two generations of closed shards are there before anything is read.
    live.put_many("key", 0..EACH).await;
    live.split(&shard(0)).await;
    let parent = live.put_many("key", EACH..2 * EACH).await;
    live.split(&parent[0].shard).await;
    live.put_many("key", 2 * EACH..3 * EACH).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    seek(&subscriber.seeker(), KinesisPosition::horizon()).await;
    assert_eq!(
        handle(&mut subscriber, 3 * EACH).await,
        numbers(0..3 * EACH)
    );
    nothing(&mut subscriber, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_parents_of_a_merge_are_waited_for() {
    let live = or_skip!(OneStream::start(2));
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_at(0, "lower").await;
    live.put_at(UPPER, "upper").await;
    let held = records(&mut subscriber, 2).await;
    live.merge(&shard(0), &shard(1)).await;
    live.put("key", "child").await;
    for parent in held {
        nothing(&mut subscriber, Duration::from_millis(700)).await;
        parent.ack().await.expect("acknowledged");
    }
    assert_eq!(handle(&mut subscriber, 1).await, ["child"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parent_that_has_aged_out_of_the_listing_holds_its_children_up_no_longer() {
    let live = OneStream::embedded(1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "lower").await;
    live.put_at(UPPER, "upper").await;
    let aged = Fault::rewrite(|body| {
        if let Some(shards) = body["Shards"].as_array_mut() {
            shards.retain(|listed| listed["ShardId"] != shard(0));
        }
    });
    live.stack()
        .faults()
        .always(On::operation("ListShards"), aged);
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    seek(&subscriber.seeker(), KinesisPosition::horizon()).await;
    let handled = handle_sorted(&mut subscriber, 2).await;
    assert_eq!(handled, ["lower", "upper"]);
    let parent = On::operation("GetShardIterator").shard(shard(0));
    assert_eq!(live.stack().calls().count(&parent), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_closed_before_the_start_is_read_to_its_end_from_its_checkpoint() {
    let live = or_skip!(OneStream::start(1));
    let written = live.put_many("key", 0..4).await;
    live.split(&shard(0)).await;
    live.put_many("key", 4..6).await;
    let store = left_at(live.stream(), &shard(0), &written[1].sequence).await;
    let store = RecordingStore::over(store);
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    assert_eq!(handle(&mut subscriber, 4).await, numbers(2..6));
    store.stores(live.stream(), &shard(0), SHARD_END).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_is_made_for_a_finished_shard_again() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put("key", "child").await;
    handle(&mut subscriber, 1).await;

    let of_parent = On::any().shard(shard(0));
    let calls = live.stack().calls().count(&of_parent);
    let asked = store.count(Which::from(Op::Acquire).shard(shard(0)));
    let renewed = store.count(Which::from(Op::Renew).shard(shard(0)));
    // A whole listing later.
    let listings = On::operation("ListShards");
    let listed = live.stack().calls().count(&listings);
    let listing = live.stack().calls().reach(&listings, listed + 1);
    within(listing).await;
    live.put("key", "later").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["later"]);
    assert_eq!(live.stack().calls().count(&of_parent), calls);
    assert_eq!(store.count(Which::from(Op::Acquire).shard(shard(0))), asked);
    assert_eq!(store.count(Which::from(Op::Renew).shard(shard(0))), renewed);

    // The next subscription learns it from the row.
    drop(subscriber);
    let mut subscriber = live.subscribe(&connected).await;
    live.put("key", "last").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["last"]);
    assert_eq!(live.stack().calls().count(&of_parent), calls);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_left_unhandled_keeps_the_children_from_starting_until_it_is_read_again() {
    let live = or_skip!(OneStream::start(1));
    let (connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..3).await;
    handle(&mut subscriber, 1).await;
    let _ = record(&mut subscriber).await.nack(true).await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put_many("key", 3..5).await;
    nothing(&mut subscriber, Duration::from_secs(1)).await;
    drop(subscriber);
    let mut subscriber = live.subscribe(&connected).await;
    assert_eq!(handle(&mut subscriber, 4).await, numbers(1..5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_split_while_the_subscription_opens_loses_nothing_of_the_children() {
    let live = OneStream::embedded(1).await;
    let slow = Fault::Delay(Duration::from_secs(2));
    let listing = live
        .stack()
        .faults()
        .once(On::operation("ListShards"), slow);
    let broker = live.broker();
    let source = live.source();
    let opening = tokio::spawn(async move {
        use ruststream::Broker;
        let connected = broker.connect().await.expect("connects");
        let subscriber = connected.subscribe_stream(source).await.expect("opens");
        (connected, subscriber)
    });
    // The rule meets the subscription's listing; the split's own one follows.
    listing.reach(1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "lower").await;
    live.put_at(UPPER, "upper").await;
    let (_connected, mut subscriber) = opening.await.expect("no panic");
    let handled = handle_sorted(&mut subscriber, 2).await;
    assert_eq!(handled, ["lower", "upper"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listing_that_fails_is_reported_and_the_children_start_at_the_next_one() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "parent").await;
    let parent = record(&mut subscriber).await;
    live.split(&shard(0)).await;
    live.put("key", "child").await;
    // Three attempts are one call.
    let failing = On::operation("ListShards");
    live.stack().faults().times(3, failing, Fault::ErrorBefore);
    // The parent ends with its last settlement, and its end is what asks for the listing.
    parent.ack().await.expect("the lease is held");
    let reported = report(&mut subscriber).await;
    assert!(
        matches!(&reported, KinesisError::Stream { stream, .. } if stream == live.stream()),
        "{reported}"
    );
    let child = record(&mut subscriber).await;
    assert_eq!(text(&child), "child");
    assert!(matches!(
        child.position(),
        KinesisPosition::Sequence { shard: id, .. } if id != shard(0)
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_children_of_a_shard_another_instance_reads_wait_for_its_end_there() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let instance = |id| live.broker().owner_id(id).lease_store(store.clone());
    let (_first_connected, mut first) = live.open(instance("first")).await;
    let (_second_connected, mut second) = live.open(instance("second")).await;
    live.put("key", "parent").await;
    let parent = record(&mut first).await;
    live.split(&shard(0)).await;
    live.put("key", "child").await;
    // Both find the split at their next listings; neither may read the child yet.
    tokio::join!(
        nothing(&mut first, Duration::from_secs(1)),
        nothing(&mut second, Duration::from_secs(13)),
    );
    parent.ack().await.expect("the lease is held");
    let child = tokio::select! {
        child = record(&mut first) => child,
        child = record(&mut second) => child,
    };
    assert_eq!(text(&child), "child");
    child.ack().await.expect("the lease is held");
    store.stores(live.stream(), &shard(0), SHARD_END).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_340_shards_that_become_435_amid_listing_errors_every_one_is_read_within_two_listings() {
    const SHARDS: usize = 340;
    const SPLIT: usize = 95;
    const LISTINGS: Duration = Duration::from_secs(20);
    let live = OneStream::embedded(i32::try_from(SHARDS).expect("few enough")).await;
    let source = KinesisStream::new(live.stream()).poll_interval(Duration::from_secs(3));
    let (connected, mut subscriber) = live.open_with(live.broker(), source).await;
    // Readers start with the first poll.
    assert!(pin!(subscriber.stream()).next().now_or_never().is_none());
    // The subscription's own listings name the size of a page.
    let listing = On::operation("ListShards").when(|call| call.request["MaxResults"].is_number());
    let failing = live.stack().faults().times(9, listing, Fault::ErrorBefore);
    for parent in 0..SPLIT {
        live.split(&shard(parent)).await;
    }
    let split = Instant::now();
    let listed = live.shards().await;
    let parents: BTreeSet<_> = (0..SPLIT).map(shard).collect();
    let open: BTreeMap<_, _> = listed
        .iter()
        .filter(|shard| !parents.contains(&shard.shard_id))
        .map(|shard| {
            let range = shard.hash_key_range.as_ref().expect("a range");
            let low = range.starting_hash_key.parse::<u128>().expect("a number");
            (shard.shard_id.clone(), low)
        })
        .collect();
    assert_eq!(open.len(), 435);
    // Reports are about the listings, and polling is what ends the parents.
    let read = async {
        loop {
            let _ = timeout(Duration::from_millis(100), pin!(subscriber.stream()).next()).await;
            let shown = connected.snapshot();
            let reading: BTreeSet<_> = shown[0].shards.iter().map(|shard| &shard.shard).collect();
            if reading.len() == open.len() && open.keys().all(|shard| reading.contains(shard)) {
                break;
            }
        }
    };
    timeout(LISTINGS + SLACK, read).await.expect("two listings");
    assert!(split.elapsed() < LISTINGS + SLACK);
    assert!(failing.hits() >= 3, "{}", failing.hits());
    for (number, low) in open.values().enumerate() {
        live.put_at(*low, &number.to_string()).await;
    }
    let mut handled = BTreeSet::new();
    while handled.len() < open.len() {
        if let Ok(record) = item(&mut subscriber).await {
            assert!(handled.insert(text(&record)), "read twice");
            record.ack().await.expect("the lease is held");
        }
    }
}

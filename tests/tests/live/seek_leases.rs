//! Seeks and the leases of the shards they move.

use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use kinesis_stack::{Fault, On};
use ruststream::{ConnectedBroker, IncomingMessage, Seekable, Seeker, Subscriber};
use ruststream_kinesis::KinesisPosition;
use tests::live::{
    OneStream, handle, handle_sorted, item, numbers, record, seek, shard, text, within,
};
use tests::store::{Op, RecordingStore, Twist};
use tokio::time::{sleep, timeout};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_keeps_the_children_it_moves_though_another_instance_waits_for_leases() {
    let live = OneStream::embedded(1).await;
    // Five calls, so that the waiting instance gets nothing but what is free.
    let store = RecordingStore::new();
    let broker = |id: &str| live.broker().owner_id(id).lease_store(store.clone());
    let (_connected, mut subscriber) = live.open(broker("first")).await;
    live.put("key", "parent").await;
    handle(&mut subscriber, 1).await;
    live.split(&shard(0)).await;
    live.put_at(0, "left").await;
    live.put_at(u128::MAX, "right").await;
    handle(&mut subscriber, 2).await;
    let (_waiting, mut waiting) = live.open(broker("second")).await;
    let waits = tokio::spawn(async move {
        let mut stream = pin!(waiting.stream());
        while let Some(item) = stream.next().await {
            if let Ok(record) = item {
                let _ = record.ack().await;
            }
        }
    });
    // Its attempts are under way.
    sleep(Duration::from_millis(2_500)).await;
    seek(&subscriber.seeker(), KinesisPosition::horizon()).await;
    let parent = record(&mut subscriber).await;
    assert_eq!(text(&parent), "parent");
    // Time enough to take what the seek would have let go.
    sleep(Duration::from_secs(4)).await;
    parent.ack().await.expect("the record is acknowledged");
    assert_eq!(handle_sorted(&mut subscriber, 2).await, ["left", "right"]);
    waits.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_is_not_held_up_by_a_seek_that_makes_many_shards_wait() {
    const PARENTS: usize = 12;
    let live = OneStream::embedded(12).await;
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    // Readers start with the first poll.
    assert!(pin!(subscriber.stream()).next().now_or_never().is_none());
    for parent in 0..PARENTS {
        live.split(&shard(parent)).await;
    }
    store.answered(Op::Acquire, 3 * PARENTS).await;
    // All children are being read.
    sleep(Duration::from_secs(2)).await;
    store.always(Op::Release, Twist::Delay(Duration::from_secs(1)));
    let seeker = subscriber.seeker();
    let sought = tokio::spawn(async move { seeker.seek(KinesisPosition::horizon()).await });
    sleep(Duration::from_millis(500)).await;
    drop(subscriber);
    // One release after the other would take longer than the test waits.
    within(connected.shutdown()).await.expect("shuts down");
    let _ = within(sought).await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_lost_while_a_seek_opens_its_shards_loses_no_record() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_millis(900));
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put_many("key", 0..5).await;
    handle(&mut subscriber, 5).await;
    for _ in 0..4 {
        live.stack().faults().once(
            On::operation("GetShardIterator"),
            Fault::Delay(Duration::from_millis(400)),
        );
        store.once(Op::Renew, Twist::No);
        seek(&subscriber.seeker(), KinesisPosition::horizon()).await;
        let mut handled = BTreeSet::new();
        while handled.len() < 5 {
            // What is lost in between is reported, and its records cannot be acknowledged.
            if let Ok(record) = item(&mut subscriber).await {
                let text = text(&record);
                if record.ack().await.is_ok() {
                    handled.insert(text);
                }
            }
        }
        assert!(handled.into_iter().eq(numbers(0..5)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seeks_that_race_with_drops_and_lost_leases_are_answered_and_lose_no_record() {
    const RECORDS: usize = 20;
    let live = OneStream::embedded(2).await;
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_millis(900));
    let (connected, mut subscriber) = live.open(broker).await;
    live.put_many("key", 0..RECORDS).await;
    for round in 0..12 {
        let positions = [KinesisPosition::horizon, KinesisPosition::latest];
        let seeks: Vec<_> = positions
            .repeat(2)
            .into_iter()
            .map(|to| {
                let seeker = subscriber.seeker();
                tokio::spawn(async move { within(seeker.seek(to())).await })
            })
            .collect();
        if round % 3 == 0 {
            store.once(Op::Renew, Twist::No);
        }
        let _ = timeout(Duration::from_millis(50), item(&mut subscriber)).await;
        drop(subscriber);
        for sought in seeks {
            // The drop may be its answer.
            let _ = sought.await.expect("no panic");
        }
        subscriber = live.subscribe(&connected).await;
    }
    seek(&subscriber.seeker(), KinesisPosition::horizon()).await;
    assert_eq!(handle(&mut subscriber, RECORDS).await, numbers(0..RECORDS));
}

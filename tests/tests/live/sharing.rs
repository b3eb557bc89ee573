//! Several instances on a store that shows them to each other: who reads how many shards.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use ruststream::{Broker, ConnectedBroker, IncomingMessage, Subscriber};
use ruststream_kinesis::{
    ConnectedKinesisBroker, KinesisBroker, KinesisError, KinesisStream, KinesisSubscriber,
    MemoryLeaseStore,
};
use tests::live::{OneStream, SLACK, handle, handle_sorted, numbers, shard, text, within};
use tests::or_skip;
use tests::store::RecordingStore;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// What a second instance may wait for its share.
const SHARED_WITHIN: Duration = Duration::from_secs(15);

fn instance(live: &OneStream, store: &Arc<MemoryLeaseStore>, id: &str) -> KinesisBroker {
    live.leasing(store, Duration::from_secs(3)).owner_id(id)
}

/// How many shards that instance reads.
fn held(connected: &ConnectedKinesisBroker) -> usize {
    connected.snapshot()[0].shards.len()
}

/// Waits until the instances read that many shards each, in order.
async fn shared(instances: &[&ConnectedKinesisBroker], wanted: &[usize]) {
    let all = async {
        loop {
            let held: Vec<_> = instances.iter().map(|instance| held(instance)).collect();
            if held == wanted {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    let shared = timeout(SHARED_WITHIN + SLACK, all).await;
    let held: Vec<_> = instances.iter().map(|instance| held(instance)).collect();
    assert!(shared.is_ok(), "{held:?} and not {wanted:?}");
}

/// Handles whatever comes, and tells of each record it acknowledged.
fn handling(
    mut subscriber: KinesisSubscriber,
    handled: mpsc::UnboundedSender<String>,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut stream = pin!(subscriber.stream());
        while let Some(item) = stream.next().await {
            let record = item.expect("a record, not a report");
            let text = text(&record);
            // A handler takes a while, so that there is something in flight.
            sleep(Duration::from_millis(5)).await;
            record.ack().await.expect("the lease is held");
            let _ = handled.send(text);
        }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_instance_gets_its_share_under_load_and_no_record_is_handled_twice() {
    const RECORDS: usize = 600;
    let live = or_skip!(OneStream::start(8));
    let store = Arc::new(MemoryLeaseStore::new());
    let (all, mut handled) = mpsc::unbounded_channel();
    let (first, subscriber) = live.open(instance(&live, &store, "first")).await;
    let reading = handling(subscriber, all.clone());
    assert_eq!(held(&first), 8);
    let put = async {
        for record in 0..RECORDS {
            let hash_key = u128::MAX / RECORDS as u128 * record as u128;
            live.put_at(hash_key, &record.to_string()).await;
        }
    };
    let joining = async {
        let (second, subscriber) = live.open(instance(&live, &store, "second")).await;
        let reading = handling(subscriber, all.clone());
        shared(&[&first, &second], &[4, 4]).await;
        (second, reading)
    };
    let ((), (second, also_reading)) = tokio::join!(put, joining);
    let mut seen = Vec::new();
    while seen.len() < RECORDS {
        seen.push(within(handled.recv()).await.expect("both go on"));
    }
    // Longer than any record that is read again takes to come.
    sleep(Duration::from_secs(1)).await;
    assert!(handled.try_recv().is_err(), "a record was handled twice");
    let unique: BTreeSet<_> = seen.iter().cloned().collect();
    assert_eq!(unique, numbers(0..RECORDS).into_iter().collect());
    let [shown] = &second.snapshot()[..] else {
        panic!("one subscription");
    };
    assert_eq!(shown.members.len(), 2);
    assert_eq!(shown.elsewhere.len(), 4);
    assert!(shown.elsewhere.iter().all(|shard| {
        let owner = shard.owner.as_deref();
        owner.is_some_and(|owner| owner.starts_with("first/"))
    }));
    assert!(shown.owner.starts_with("second/"));
    reading.abort();
    also_reading.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shards_of_an_instance_that_stops_are_taken_by_the_others_at_once() {
    let live = or_skip!(OneStream::start(4));
    let store = Arc::new(MemoryLeaseStore::new());
    let (first, one) = live.open(instance(&live, &store, "first")).await;
    let (second, mut other) = live.open(instance(&live, &store, "second")).await;
    shared(&[&first, &second], &[2, 2]).await;
    drop(one);
    within(first.shutdown()).await.expect("shuts down");
    let stopped = std::time::Instant::now();
    for number in 0..4 {
        live.put_at(u128::MAX / 4 * number + 1, &number.to_string())
            .await;
    }
    assert_eq!(handle_sorted(&mut other, 4).await, numbers(0..4));
    assert!(stopped.elapsed() < Duration::from_secs(2) + SLACK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_instance_reads_more_shards_than_its_max_leases() {
    let live = or_skip!(OneStream::start(6));
    let store = Arc::new(MemoryLeaseStore::new());
    let bounded = instance(&live, &store, "bounded").max_leases(1);
    let (bounded, _one) = live.open(bounded).await;
    assert_eq!(held(&bounded), 1);
    let (free, _other) = live.open(instance(&live, &store, "free")).await;
    shared(&[&bounded, &free], &[1, 5]).await;
    // A store of five calls bounds as well.
    let five_calls = live
        .broker()
        .lease_store(RecordingStore::new())
        .max_leases(2);
    let (five_calls, _third) = live.open(five_calls).await;
    sleep(Duration::from_millis(2_500)).await;
    assert_eq!(held(&five_calls), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_bounded_over_a_store_of_five_calls_leave_no_shard_unread() {
    let live = or_skip!(OneStream::start(6));
    let store = RecordingStore::new();
    let bounded = |id: &str| {
        live.broker()
            .owner_id(id)
            .lease_store(store.clone())
            .max_leases(2)
    };
    let (first, _one) = live.open(bounded("first")).await;
    let (second, _two) = live.open(bounded("second")).await;
    let (third, _three) = live.open(bounded("third")).await;
    shared(&[&first, &second, &third], &[2, 2, 2]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_instances_the_one_that_read_a_shard_to_its_end_starts_its_children_at_once() {
    let live = or_skip!(OneStream::start(2));
    let store = Arc::new(MemoryLeaseStore::new());
    let (first, mut one) = live.open(instance(&live, &store, "first")).await;
    let (second, other) = live.open(instance(&live, &store, "second")).await;
    let (all, mut handled) = mpsc::unbounded_channel();
    let reading = handling(other, all);
    shared(&[&first, &second], &[1, 1]).await;
    let mine = first.snapshot()[0].shards[0].shard.clone();
    let low = if mine == shard(0) {
        0
    } else {
        u128::MAX / 2 + 1
    };
    live.split(&mine).await;
    live.put_at(low, "low").await;
    live.put_at(low + u128::MAX / 2, "high").await;
    let split = std::time::Instant::now();
    assert_eq!(handle_sorted(&mut one, 2).await, ["high", "low"]);
    // No listing ten seconds on is waited for, nor that somebody else might take them.
    assert!(split.elapsed() < Duration::from_secs(1) + SLACK);
    assert!(handled.try_recv().is_err());
    reading.abort();
}

#[tokio::test]
async fn an_instance_that_may_hold_no_lease_is_refused_before_any_call() {
    let refused = KinesisBroker::new().max_leases(0).connect().await;
    let Err(KinesisError::Invalid(reason)) = refused else {
        panic!("{refused:?}");
    };
    assert!(reason.contains("max_leases"), "{reason}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_instances_that_come_and_go_share_evenly_and_then_nothing_moves() {
    let live = or_skip!(OneStream::start(9));
    let store = Arc::new(MemoryLeaseStore::new());
    let (a, _one) = live.open(instance(&live, &store, "a")).await;
    let (b, _two) = live.open(instance(&live, &store, "b")).await;
    let (c, three) = live.open(instance(&live, &store, "c")).await;
    shared(&[&a, &b, &c], &[3, 3, 3]).await;
    let names = |connected: &ConnectedKinesisBroker| -> Vec<String> {
        let shown = connected.snapshot();
        shown[0]
            .shards
            .iter()
            .map(|shard| shard.shard.clone())
            .collect()
    };
    let before = (names(&a), names(&b), names(&c));
    sleep(Duration::from_secs(3)).await;
    assert_eq!((names(&a), names(&b), names(&c)), before);
    drop(three);
    within(c.shutdown()).await.expect("shuts down");
    let halves = async {
        while held(&a) + held(&b) < 9 || held(&a).abs_diff(held(&b)) > 1 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    within(halves).await;
    // What each of them had it kept.
    assert!(before.0.iter().all(|shard| names(&a).contains(shard)));
    assert!(before.1.iter().all(|shard| names(&b).contains(shard)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_moves_with_its_last_checkpoint_and_goes_on_after_it() {
    let live = or_skip!(OneStream::start(2));
    let store = Arc::new(MemoryLeaseStore::new());
    let source = || live.source().checkpoint_interval(Duration::from_mins(1));
    let (first, mut one) = live
        .open_with(instance(&live, &store, "first"), source())
        .await;
    for (hash_key, number) in [(0, 0), (u128::MAX, 1)] {
        live.put_at(hash_key, &number.to_string()).await;
    }
    // Acknowledged, and by the interval not stored yet.
    handle(&mut one, 2).await;
    let (second, mut other) = live
        .open_with(instance(&live, &store, "second"), source())
        .await;
    shared(&[&first, &second], &[1, 1]).await;
    for (hash_key, number) in [(0, 2), (u128::MAX, 3)] {
        live.put_at(hash_key, &number.to_string()).await;
    }
    let (mine, theirs) = tokio::join!(handle(&mut one, 1), handle(&mut other, 1));
    let mut handled = [mine, theirs].concat();
    handled.sort_unstable();
    assert_eq!(handled, numbers(2..4));
    assert!([shard(0), shard(1)].contains(&first.snapshot()[0].shards[0].shard));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_named_in_two_ways_is_warned_about() {
    tests::events::watch();
    let live = OneStream::embedded(1).await;
    let arn = tests::wire::arn(live.client(), live.stream()).await;
    let store = Arc::new(MemoryLeaseStore::new());
    let (_by_name, _one) = live.open(instance(&live, &store, "first")).await;
    let warned = || {
        let warnings = tests::events::warnings(&arn);
        warnings
            .iter()
            .filter(|line| line.contains("another spelling"))
            .count()
    };
    assert_eq!(warned(), 0);
    let by_arn = KinesisStream::new(&arn);
    let opened = live
        .open_with(instance(&live, &store, "second"), by_arn)
        .await;
    assert_eq!(warned(), 1);
    drop(opened);
}

//! Several instances on one store: who reads a shard, and how it changes hands.

use std::time::{Duration, Instant};

use ruststream::{ConnectedBroker, IncomingMessage};
use ruststream_kinesis::KinesisBroker;
use tests::live::{
    OneStream, Process, SLACK, handle, handle_sorted, nothing, numbers, record, records, shard,
    text, within,
};
use tests::or_skip;
use tests::store::{Answer, Op, RecordingStore, Twist, Which};

/// What a released or expired lease may wait for its next owner.
const PICK_UP: Duration = Duration::from_secs(2);

/// How long the instances' leases last.
const LEASE: Duration = Duration::from_secs(2);

fn instance(live: &OneStream, store: &std::sync::Arc<RecordingStore>, id: &str) -> KinesisBroker {
    live.leasing(store, LEASE).owner_id(id)
}

/// When that instance took that shard.
async fn taken_by(store: &RecordingStore, id: &str, shard: &str) -> Instant {
    let asked = Which::from(Op::Acquire).owner(id).shard(shard);
    within(async {
        loop {
            let calls = store.calls(asked.clone());
            if let Some(taken) = calls.iter().find(|call| call.answer == Some(Answer::Yes)) {
                break taken.at;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_split_the_shards_and_hand_them_over_within_two_seconds() {
    let live = or_skip!(OneStream::start(4));
    let store = RecordingStore::new();
    // Two of the shards are not free for the instance that comes first.
    for id in [2, 3] {
        let first = Which::from(Op::Acquire).owner("first").shard(shard(id));
        store.always(first, Twist::No);
    }
    let (first_connected, mut first) = live.open(instance(&live, &store, "first")).await;
    let (_second_connected, mut second) = live.open(instance(&live, &store, "second")).await;
    let quarter = u128::MAX / 4 + 1;
    for id in 0..4 {
        live.put_at(quarter * id, &id.to_string()).await;
    }
    assert_eq!(handle_sorted(&mut first, 2).await, numbers(0..2));
    assert_eq!(handle_sorted(&mut second, 2).await, numbers(2..4));

    drop(first);
    within(first_connected.shutdown())
        .await
        .expect("shuts down");
    for id in 0..2 {
        let released = Which::from(Op::Release).owner("first").shard(shard(id));
        let released = store.answered(released, 1).await;
        let released = released.last().expect("released").at;
        let taken = taken_by(&store, "second", &shard(id)).await;
        assert!(taken.saturating_duration_since(released) < PICK_UP + SLACK);
    }
    for id in 0..4 {
        live.put_at(quarter * id, &id.to_string()).await;
    }
    assert_eq!(handle_sorted(&mut second, 4).await, numbers(0..4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_owner_of_a_released_shard_delivers_its_first_record_within_two_seconds() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (first_connected, mut first) = live.open(instance(&live, &store, "first")).await;
    let (_second_connected, mut second) = live.open(instance(&live, &store, "second")).await;
    live.put_many("key", 0..4).await;
    assert_eq!(handle(&mut first, 2).await, numbers(0..2));
    let waiting = tokio::spawn(async move { handle(&mut second, 2).await });
    within(first_connected.shutdown())
        .await
        .expect("shuts down");
    let stopped = Instant::now();
    // The checkpoint is still there: nothing is read twice, and nothing is skipped.
    assert_eq!(within(waiting).await.expect("no panic"), numbers(2..4));
    assert!(stopped.elapsed() < PICK_UP + SLACK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shards_of_a_killed_instance_move_once_their_leases_expire() {
    let live = or_skip!(OneStream::start(2));
    let store = RecordingStore::new();
    let process = Process::start();
    let (_killed, mut first) = process
        .subscribe(instance(&live, &store, "first"), live.source())
        .await;
    let (_connected, mut second) = live.open(instance(&live, &store, "second")).await;
    live.put_many("key", 0..3).await;
    assert_eq!(handle(&mut first, 2).await, numbers(0..2));
    process.kill();
    let killed = Instant::now();
    assert_eq!(handle(&mut second, 1).await, numbers(2..3));
    for id in 0..2 {
        let taken = taken_by(&store, "second", &shard(id)).await;
        assert!(taken.saturating_duration_since(killed) < LEASE + PICK_UP + SLACK);
    }
    assert_eq!(store.count(Which::from(Op::Release).owner("first")), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_lease_is_never_stolen_even_under_one_owner_id() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    // A copied deployment: both were given one name.
    let (_first_connected, mut first) = live.open(instance(&live, &store, "copy")).await;
    let (_second_connected, mut second) = live.open(instance(&live, &store, "copy")).await;
    live.put_many("key", 0..2).await;
    assert_eq!(handle(&mut first, 2).await, numbers(0..2));
    nothing(&mut second, Duration::from_secs(4)).await;
    let asked = store.calls(Op::Acquire);
    assert!(asked.iter().all(|call| call.owner.starts_with("copy/")));
    let (first, others): (Vec<_>, Vec<_>) =
        asked.iter().partition(|call| call.owner == asked[0].owner);
    assert_eq!(first.len(), 1);
    assert!(others.len() >= 3, "{others:?}");
    assert!(others.iter().all(|call| call.answer == Some(Answer::No)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_changes_hands_only_once_its_records_in_flight_are_settled() {
    const RECORDS: usize = 100;
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_first_connected, mut first) = live.open(instance(&live, &store, "first")).await;
    let (_second_connected, mut second) = live.open(instance(&live, &store, "second")).await;
    let written = live.put_many("key", 0..RECORDS + 1).await;
    let in_flight = records(&mut first, RECORDS).await;
    // The handlers go on for a while after the subscription is gone.
    drop(first);
    for (number, record) in in_flight.into_iter().enumerate() {
        if number % 20 == 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        record.ack().await.expect("the lease is held");
    }
    let released = Which::from(Op::Release).owner("first");
    store.answered(released, 1).await;
    let stored = store.checkpoint_of(live.stream(), &shard(0)).await;
    assert_eq!(stored, Some(written[RECORDS - 1].sequence.clone()));
    // No record is handled twice.
    assert_eq!(handle(&mut second, 1).await, [RECORDS.to_string()]);
    nothing(&mut second, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_taken_in_between_leaves_the_shard_to_its_new_owner() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_first_connected, mut first) = live.open(instance(&live, &store, "first")).await;
    live.put_many("key", 0..3).await;
    handle(&mut first, 1).await;
    let held = record(&mut first).await;
    // The first instance is cut off from the store, long enough for its lease to expire.
    let cut_off = [Op::Renew, Op::Checkpoint, Op::Acquire]
        .map(|op| store.always(Which::from(op).owner("first"), Twist::Fail));
    let (_second_connected, mut second) = live.open(instance(&live, &store, "second")).await;
    let moved = record(&mut second).await;
    assert_eq!(text(&moved), "1");
    cut_off.into_iter().for_each(tests::store::Rule::remove);
    held.ack().await.expect_err("another owner holds the lease");
    moved.ack().await.expect("the lease is held");
    assert_eq!(handle(&mut second, 1).await, numbers(2..3));
}

//! Stores that panic, that apply what they fail, or whose answers come and go.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use ruststream::{ConnectedBroker, IncomingMessage, Subscriber};
use ruststream_kinesis::{KinesisSubscriber, SHARD_END};
use tests::live::{OneStream, delivered, handle, numbers, shard, text, within};
use tests::store::{Op, RecordingStore, Rule, Twist};
use tokio::time::{sleep, timeout};

/// Readers start with the first poll.
fn start(subscriber: &mut KinesisSubscriber) {
    let mut stream = pin!(subscriber.stream());
    assert!(futures::FutureExt::now_or_never(stream.next()).is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_panics_in_a_taking_does_not_silence_the_subscription() {
    let live = OneStream::embedded(2).await;
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_secs(1));
    let (_connected, mut subscriber) = live.open(broker).await;
    start(&mut subscriber);
    let taken = store.count(Op::Acquire);
    store.once(Op::Acquire, Twist::Panic);
    live.split(&shard(1)).await;
    store.called(Op::Acquire, taken + 1).await;
    live.put_at(0, "still read").await;
    // It goes on, reports or ends: anything but leases that are renewed for no reader.
    let mut stream = pin!(subscriber.stream());
    within(async {
        while let Some(item) = stream.next().await {
            if let Ok(record) = item {
                assert_eq!(text(&record), "still read");
                break;
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_panics_in_a_renewal_leaves_a_shard_exactly_one_reader() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let broker = |id: &str| live.leasing(&store, Duration::from_secs(1)).owner_id(id);
    let (_first, mut first) = live.open(broker("first")).await;
    start(&mut first);
    let panics = store.count(Op::Renew) + 1;
    store.once(Op::Renew, Twist::Panic);
    let (_second, mut second) = live.open(broker("second")).await;
    start(&mut second);
    store.called(Op::Renew, panics).await;
    // Whoever lost the lease has had time to see it taken.
    sleep(Duration::from_secs(4)).await;
    live.put("key", "one").await;
    let mut read = Vec::new();
    for subscriber in [&mut first, &mut second] {
        let mut stream = pin!(subscriber.stream());
        while let Ok(Some(item)) = timeout(Duration::from_secs(3), stream.next()).await {
            read.extend(item);
        }
    }
    let read: Vec<_> = read.iter().map(text).collect();
    assert_eq!(read, ["one"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_taking_that_is_applied_and_answered_with_an_error_leaves_no_shard_unread() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    store.once(Op::Acquire, Twist::FailAfter);
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    live.put("key", "one").await;
    // The failure is reported first.
    let read = within(delivered(&mut subscriber)).await;
    assert_eq!(text(&read), "one");
    read.ack().await.expect("the lease is held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_a_shard_is_not_overwritten_by_an_older_checkpoint() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let source = live.source().checkpoint_interval(Duration::from_hours(1));
    let broker = live.broker().lease_store(store.clone());
    let (connected, mut subscriber) = live.open_with(broker, source).await;
    live.put_many("key", 0..2).await;
    handle(&mut subscriber, 2).await;
    let lost = store.always(Op::Checkpoint, Twist::FailAfter);
    live.split(&shard(0)).await;
    store.answered(Op::Checkpoint, 1).await;
    lost.remove();
    drop(subscriber);
    within(connected.shutdown()).await.expect("shuts down");
    let stored = store.checkpoint_of(live.stream(), &shard(0)).await;
    assert_eq!(stored.as_deref(), Some(SHARD_END));
}

/// Notes whatever is delivered, and acknowledges it.
fn keep_handling(
    mut subscriber: KinesisSubscriber,
    handled: Arc<Mutex<BTreeSet<String>>>,
) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        let mut stream = pin!(subscriber.stream());
        while let Some(item) = stream.next().await {
            let Ok(record) = item else { continue };
            handled.lock().expect("no panic").insert(text(&record));
            // A checkpoint that is applied and then fails fails its ack, and its record has been
            // handled; one that is not applied leaves the record to come again.
            let _ = record.ack().await;
        }
    })
}

/// Fails, fails what it applied and is slower than a renewal's turn, with pauses.
async fn flap(store: Arc<RecordingStore>) {
    let slow = Twist::Delay(Duration::from_millis(900));
    for twist in [Twist::Fail, Twist::FailAfter, slow].repeat(2) {
        let rules = Op::ALL.map(|op| store.always(op, twist));
        sleep(Duration::from_secs(2)).await;
        rules.into_iter().for_each(Rule::remove);
        sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_whose_answers_come_and_go_costs_two_instances_no_record() {
    const RECORDS: usize = 150;
    let live = OneStream::embedded(2).await;
    let store = RecordingStore::new();
    let broker = |id: &str| {
        live.leasing(&store, Duration::from_millis(1_500))
            .owner_id(id)
    };
    let (_first, first) = live.open(broker("first")).await;
    let (_second, second) = live.open(broker("second")).await;
    let flapping = tokio::spawn(flap(store.clone()));
    let handled = Arc::new(Mutex::new(BTreeSet::new()));
    let readers = [first, second].map(|subscriber| keep_handling(subscriber, handled.clone()));
    for number in 0..RECORDS {
        let number = number.to_string();
        live.put(&number, &number).await;
        sleep(Duration::from_millis(100)).await;
    }
    flapping.await.expect("no panic");
    let missing = || {
        let handled = handled.lock().expect("no panic");
        let mut missing = numbers(0..RECORDS);
        missing.retain(|number| !handled.contains(number));
        missing
    };
    let all = timeout(tests::live::PATIENCE, async {
        while !missing().is_empty() {
            sleep(Duration::from_millis(100)).await;
        }
    });
    let all = all.await;
    assert!(all.is_ok(), "never delivered: {:?}", missing());
    readers.iter().for_each(tokio::task::JoinHandle::abort);
}

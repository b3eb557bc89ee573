//! A lease is renewed on its own, whatever the handlers, the reader and the store do.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use ruststream::IncomingMessage;
use ruststream_kinesis::LeaseTimings;
use tests::live::{
    OneStream, SLACK, delivered, handle, is_lease_error, nothing, numbers, record, records,
    refusal, report, runtime, shard, text, within,
};
use tests::or_skip;
use tests::store::{Answer, Op, RecordingStore, Rule, Twist, Which};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_renewal_stops_the_reader_at_once_and_writes_nothing() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_secs(3));
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put_many("key", 0..4).await;
    let first = record(&mut subscriber).await;
    store.always(Op::Acquire, Twist::No);
    store.once(Op::Renew, Twist::No);
    store
        .answered(Which::from(Op::Acquire).shard(shard(0)), 2)
        .await;

    // The lease is another's.
    let refused = refusal(first.ack().await);
    assert!(is_lease_error(&refused, &live, &shard(0)), "{refused}");
    // What was fetched and not delivered yet is the other owner's to deliver.
    nothing(&mut subscriber, Duration::from_millis(500)).await;
    assert_eq!(store.count(Op::Checkpoint), 0);
    assert_eq!(store.count(Op::Release), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_shard_is_asked_for_again_and_reads_on_from_its_checkpoint() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_secs(3));
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put_many("key", 0..3).await;
    handle(&mut subscriber, 2).await;
    let held = record(&mut subscriber).await;
    store.once(Op::Renew, Twist::No);
    let again = record(&mut subscriber).await;
    assert_eq!(text(&again), "2");
    again.ack().await.expect("the lease is held again");
    held.ack().await.expect_err("its lease was lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewal_that_fails_is_reported_and_the_reader_goes_on() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_secs(3));
    let (_connected, mut subscriber) = live.open(broker).await;
    store.once(Op::Renew, Twist::Fail);
    store.once(Op::Renew, Twist::FailAfter);
    let reported = report(&mut subscriber).await;
    assert!(is_lease_error(&reported, &live, &shard(0)), "{reported}");
    let reported = report(&mut subscriber).await;
    assert!(is_lease_error(&reported, &live, &shard(0)), "{reported}");
    store.answered(Op::Renew, 4).await;
    live.put_many("key", 0..2).await;
    assert_eq!(handle(&mut subscriber, 2).await, numbers(0..2));
    assert_eq!(store.count(Op::Acquire), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_throttles_everything_for_a_while_stops_nothing_and_loses_nothing() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put_many("key", 0..5).await;
    let ops = [Op::Acquire, Op::Renew, Op::Checkpoint, Op::Read];
    let throttles = ops.map(|op| store.always(op, Twist::Fail));
    for number in 0..5 {
        // A store that fails is reported between the records.
        let record = within(delivered(&mut subscriber)).await;
        assert_eq!(text(&record), number.to_string());
        record.ack().await.expect_err("the store is throttled");
    }
    // Two renewals of ten seconds' leases fall in this time.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let renewals = store.count(Op::Renew);
    assert!(renewals < 25, "{renewals} renewals in five seconds");
    throttles.into_iter().for_each(Rule::remove);
    store
        .stores(live.stream(), &shard(0), &written[4].sequence)
        .await;
    assert_eq!(store.count(Op::Acquire), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_no_renewal_was_confirmed_for_is_given_up_when_it_is_over() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let duration = Duration::from_millis(1_500);
    let timings = LeaseTimings::builder()
        .lease_ttl(duration)
        .renew_every(Duration::from_millis(700))
        .build();
    let broker = live.broker().lease_store(store.clone());
    let (_connected, mut subscriber) = live.open(broker.lease_timings(timings)).await;
    let taken = store.calls(Op::Acquire)[0].at;
    store.always(Op::Renew, Twist::Fail);
    // The shard is asked for again as soon as it is given up.
    let again = store.called(Op::Acquire, 2).await;
    let kept = again[1].at - taken;
    assert!(kept >= duration, "{kept:?}");
    assert!(kept < duration + SLACK, "{kept:?}");
    while !report(&mut subscriber)
        .await
        .to_string()
        .contains("before it ended")
    {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_hangs_is_given_up_on_before_the_lease_is_over() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_secs(3));
    let (_connected, mut subscriber) = live.open(broker).await;
    let hung = store.once(Op::Renew, Twist::Hold);
    let reported = report(&mut subscriber).await;
    assert!(is_lease_error(&reported, &live, &shard(0)), "{reported}");
    store.answered(Op::Renew, 2).await;
    assert_eq!(store.count(Op::Acquire), 1);
    live.put("key", "one").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["one"]);
    hung.remove();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_blocks_longer_than_the_lease_keeps_it() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let duration = Duration::from_secs(1);
    let broker = |name| live.leasing(&store, duration).owner_id(name);
    let (_first, mut reading) = live.open(broker("first")).await;
    let (_second, mut waiting) = live.open(broker("second")).await;
    live.put_many("key", 0..3).await;
    let held = record(&mut reading).await;
    // The thread this runs on does nothing else meanwhile.
    tokio::join!(
        nothing(&mut waiting, duration * 3),
        tokio::task::spawn_blocking(move || std::thread::sleep(duration * 3)),
    )
    .1
    .expect("no panic");
    held.ack().await.expect("the lease is held");
    assert_eq!(handle(&mut reading, 2).await, numbers(1..3));
    let asked = store.calls(Which::from(Op::Acquire).owner("second"));
    assert!(asked.len() >= 2, "{asked:?}");
    assert!(asked.iter().all(|call| call.answer == Some(Answer::No)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkpoints_and_renewals_of_one_shard_never_fence_each_other() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let timings = LeaseTimings::builder()
        .renew_every(Duration::from_millis(1))
        .build();
    let broker = live.broker().lease_store(store.clone());
    let (_connected, mut subscriber) = live.open(broker.lease_timings(timings)).await;
    store.always(Op::Renew, Twist::Delay(Duration::from_millis(1)));
    store.always(Op::Checkpoint, Twist::Delay(Duration::from_millis(1)));
    let written = live.put_many("key", 0..200).await;
    let acks: Vec<_> = records(&mut subscriber, 200)
        .await
        .into_iter()
        .map(|record| tokio::spawn(record.ack()))
        .collect();
    for ack in acks {
        within(ack).await.expect("no panic").expect("acknowledged");
    }
    assert_eq!(store.checkpoints().last(), Some(&written[199].sequence));
    assert_eq!(store.count(Op::Acquire), 1);
    assert!(store.count(Op::Renew) > 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acks_that_nobody_polls_any_more_do_not_cost_the_lease() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_millis(1_500));
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put_many("key", 0..3).await;
    let held = store.always(Op::Checkpoint, Twist::Delay(Duration::from_millis(100)));
    let mut acks = FuturesUnordered::new();
    for record in records(&mut subscriber, 3).await {
        acks.push(record.ack());
    }
    // One call is in flight, two wait for it, and then the handler turns to something else.
    assert!(futures::poll!(acks.next()).is_pending());
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(store.count(Op::Acquire), 1);
    held.remove();
    while let Some(ack) = within(acks.next()).await {
        ack.expect("the lease is held");
    }
    drop(acks);
    assert_eq!(store.count(Op::Acquire), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_that_blocks_with_an_ack_in_flight_does_not_cost_the_lease() {
    let live = or_skip!(OneStream::start(1));
    let store = RecordingStore::new();
    let broker = live.leasing(&store, Duration::from_millis(1_500));
    let (_connected, mut subscriber) = live.open(broker).await;
    let written = live.put("key", "one").await;
    let record = record(&mut subscriber).await;
    store.once(Op::Checkpoint, Twist::Delay(Duration::from_millis(100)));
    let thread = std::thread::spawn(move || {
        runtime().block_on(async {
            let ack = tokio::spawn(record.ack());
            tokio::time::sleep(Duration::from_millis(50)).await;
            std::thread::sleep(Duration::from_secs(4));
            ack.await.expect("no panic")
        })
    });
    within(tokio::task::spawn_blocking(move || thread.join()))
        .await
        .expect("no panic")
        .expect("no panic")
        .expect("the lease is held");
    assert_eq!(store.count(Op::Acquire), 1);
    store
        .stores(live.stream(), &shard(0), &written.sequence)
        .await;
}

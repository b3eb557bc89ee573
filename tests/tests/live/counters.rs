//! What a monitor counts of a subscription.

use std::time::Duration;

use kinesis_stack::{Fault, On};
use ruststream_kinesis::{KinesisMonitor, StreamSnapshot};
use tests::live::{OneStream, handle, lasting, report, within};
use tests::store::{Op, RecordingStore, Twist};

fn reads() -> On {
    On::operation("GetRecords")
}

/// The subscription once it is as it should be.
async fn shows(monitor: &KinesisMonitor, it: impl Fn(&StreamSnapshot) -> bool) -> StreamSnapshot {
    let shown = async {
        loop {
            if let Some(stream) = monitor.streams().into_iter().find(&it) {
                return stream;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(shown).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_throttled_read_is_counted_and_a_fault_is_not() {
    let live = OneStream::embedded(1).await;
    let broker = live.broker();
    let monitor = broker.monitor();
    let (_connected, mut subscriber) = live.open(broker).await;
    live.stack().faults().times(3, reads(), Fault::Throttle);
    live.stack().faults().once(reads(), Fault::ErrorBefore);
    live.put("key", "one").await;
    report(&mut subscriber).await;
    handle(&mut subscriber, 1).await;
    assert_eq!(monitor.streams()[0].throttles, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_iterator_that_is_made_anew_is_counted_and_one_that_is_not_made_is_not() {
    let live = OneStream::embedded(1).await;
    let broker = live.broker();
    let monitor = broker.monitor();
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put("key", "one").await;
    handle(&mut subscriber, 1).await;
    // The iterator a reader begins with is no rewind.
    assert_eq!(monitor.streams()[0].rewinds, 0);
    // Three attempts are one call; two calls fail.
    let iterators = On::operation("GetShardIterator");
    live.stack()
        .faults()
        .times(6, iterators, Fault::ErrorBefore);
    live.stack().faults().once(reads(), Fault::ExpiredIterator);
    live.put("key", "two").await;
    report(&mut subscriber).await;
    handle(&mut subscriber, 1).await;
    assert_eq!(monitor.streams()[0].rewinds, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_is_lost_is_counted_and_one_that_is_handed_back_is_not() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    let broker = live
        .broker()
        .lease_store(store.clone())
        .lease_timings(lasting(Duration::from_secs(1)));
    let monitor = broker.monitor();
    let (_connected, mut subscriber) = live.open(broker).await;
    live.put("key", "one").await;
    handle(&mut subscriber, 1).await;
    store.once(Op::Renew, Twist::No);
    let lost = shows(&monitor, |stream| stream.lost_leases > 0).await;
    assert_eq!(lost.lost_leases, 1);
    // The shard is taken again, and handed back once it is read to its end.
    live.put("key", "two").await;
    handle(&mut subscriber, 1).await;
    live.split(&tests::live::shard(0)).await;
    let shows_children = |stream: &StreamSnapshot| stream.shards.len() == 2;
    assert_eq!(shows(&monitor, shows_children).await.lost_leases, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_is_shown_with_its_age_which_grows_until_the_next_one() {
    let live = OneStream::embedded(1).await;
    let broker = live.broker();
    let monitor = broker.monitor();
    let (_connected, mut subscriber) = live.open(broker).await;
    let unread = &monitor.streams()[0].shards[0];
    assert_eq!((unread.behind, unread.read_ago), (None, None));
    live.put("key", "one").await;
    handle(&mut subscriber, 1).await;
    let unanswered = live.stack().faults().always(reads(), Fault::Hold);
    within(unanswered.reach(1)).await;
    let read_ago = || {
        monitor.streams()[0].shards[0]
            .read_ago
            .expect("it was read")
    };
    let before = read_ago();
    let pause = Duration::from_secs(1);
    tokio::time::sleep(pause).await;
    assert!(read_ago() >= before + pause);
    unanswered.remove();
    let again = |stream: &StreamSnapshot| {
        let shard = stream.shards.first();
        shard
            .and_then(|shard| shard.read_ago)
            .is_some_and(|ago| ago < pause)
    };
    shows(&monitor, again).await;
}

//! Moving a running subscription.

use std::time::Duration;

use futures::future::join_all;
use kinesis_stack::{Fault, On};
use ruststream::{ConnectedBroker, IncomingMessage, Positioned, Seekable, Seeker};
use ruststream_kinesis::KinesisPosition;
use tests::live::{
    OneStream, between, handle, handle_sorted, nothing, numbers, record, records, seek, text,
    within,
};
use tests::store::RecordingStore;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_wide_position_moves_every_shard() {
    let live = OneStream::embedded(2).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    live.put_at(0, "low 0").await;
    live.put_at(u128::MAX, "high 0").await;
    handle(&mut subscriber, 2).await;
    let instant = between().await;
    live.put_at(0, "low 1").await;
    live.put_at(u128::MAX, "high 1").await;
    let late = ["high 1", "low 1"];
    assert_eq!(handle_sorted(&mut subscriber, 2).await, late);

    seek(&seeker, KinesisPosition::horizon()).await;
    let all = handle_sorted(&mut subscriber, 4).await;
    assert_eq!(all, ["high 0", "high 1", "low 0", "low 1"]);
    seek(&seeker, KinesisPosition::timestamp(instant)).await;
    assert_eq!(handle_sorted(&mut subscriber, 2).await, late);
    seek(&seeker, KinesisPosition::horizon()).await;
    seek(&seeker, KinesisPosition::latest()).await;
    live.put_at(0, "low 2").await;
    live.put_at(u128::MAX, "high 2").await;
    assert_eq!(handle_sorted(&mut subscriber, 2).await, ["high 2", "low 2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_published_after_a_seek_to_the_tip_returned_is_delivered() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    for round in 0..5 {
        let (old, new) = (format!("old {round}"), format!("new {round}"));
        live.put("key", &old).await;
        seek(&seeker, KinesisPosition::latest()).await;
        live.put("key", &new).await;
        assert_eq!(handle(&mut subscriber, 1).await, [new]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_records_position_redelivers_that_record_and_moves_no_other_shard() {
    let live = OneStream::embedded(2).await;
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let high = live.put_at(u128::MAX, "high").await;
    let held = record(&mut subscriber).await;
    for low in ["low 0", "low 1", "low 2"] {
        live.put_at(0, low).await;
    }
    handle(&mut subscriber, 1).await;
    let second = record(&mut subscriber).await;
    let position = second.position();
    second.ack().await.expect("acknowledged");
    handle(&mut subscriber, 1).await;

    seek(&subscriber.seeker(), position.clone()).await;
    let again = record(&mut subscriber).await;
    assert_eq!(
        (text(&again), again.position()),
        ("low 1".to_owned(), position)
    );
    again.ack().await.expect("acknowledged");
    assert_eq!(handle(&mut subscriber, 1).await, ["low 2"]);
    // The other shard still counts what it delivered before.
    held.ack().await.expect("acknowledged");
    let row = store.checkpoint_of(live.stream(), &high.shard).await;
    assert_eq!(row, Some(high.sequence));
    nothing(&mut subscriber, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_drops_the_bookkeeping_of_every_shard_it_moves() {
    let live = OneStream::embedded(1).await;
    let positions = [
        KinesisPosition::horizon(),
        KinesisPosition::latest(),
        KinesisPosition::timestamp(0),
    ];
    for position in positions {
        let store = RecordingStore::new();
        let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
        live.put_many("key", 0..2).await;
        let [acked, dropped] = records(&mut subscriber, 2).await.try_into().expect("two");
        seek(&subscriber.seeker(), position.clone()).await;
        acked
            .ack()
            .await
            .expect("it moves nothing, and that is no error");
        dropped
            .nack(false)
            .await
            .expect("it moves nothing, and that is no error");
        assert_eq!(store.checkpoints(), [""; 0], "{position:?}");

        // And its own records count.
        let name = format!("marker of {position:?}");
        let marker = live.put("key", &name).await;
        while handle(&mut subscriber, 1).await != [name.as_str()] {}
        assert_eq!(store.checkpoints().last(), Some(&marker.sequence));
        connected.shutdown().await.expect("shuts down");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seeks_that_come_together_are_all_followed() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..5).await;
    handle(&mut subscriber, 5).await;
    let seekers: Vec<_> = (0..16).map(|_| subscriber.seeker()).collect();
    let seeks = seekers
        .iter()
        .map(|seeker| seeker.seek(KinesisPosition::horizon()));
    for moved in within(join_all(seeks)).await {
        moved.expect("the subscription moves");
    }
    assert_eq!(handle(&mut subscriber, 5).await, numbers(0..5));
    nothing(&mut subscriber, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_was_in_flight_when_the_seek_came_is_not_delivered() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    live.put_many("key", 0..3).await;
    handle(&mut subscriber, 3).await;
    let reads = On::operation("GetRecords");
    let faults = live.stack().faults();
    let slow = faults.once(reads.clone(), Fault::Delay(Duration::from_millis(300)));
    let meets = async {
        slow.reach(1).await;
        live.put("key", "3").await;
        seek(&seeker, KinesisPosition::horizon()).await;
    };
    within(meets).await;
    assert_eq!(handle(&mut subscriber, 4).await, numbers(0..4));

    // Nor does the seek wait for a page that never comes.
    let hung = faults.once(reads, Fault::NoAnswer);
    within(hung.reach(1)).await;
    seek(&seeker, KinesisPosition::horizon()).await;
    assert_eq!(handle(&mut subscriber, 4).await, numbers(0..4));
    nothing(&mut subscriber, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_were_fetched_before_the_seek_are_not_delivered() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..6).await;
    // The page is here; two of its records are delivered.
    let unsettled = records(&mut subscriber, 2).await;
    seek(&subscriber.seeker(), KinesisPosition::latest()).await;
    live.put("key", "after").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["after"]);
    drop(unsettled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_gives_back_the_memory_of_what_it_drops() {
    let live = OneStream::embedded(1).await;
    // A budget of one page: what is not given back is never read again.
    let source = live.source().memory_budget(1);
    let (_connected, mut subscriber) = live.open_with(live.broker(), source).await;
    let seeker = subscriber.seeker();
    live.put_many("key", 0..4).await;
    for _ in 0..3 {
        let first = record(&mut subscriber).await;
        seek(&seeker, KinesisPosition::horizon()).await;
        first.ack().await.expect("it moves nothing");
    }
    assert_eq!(handle(&mut subscriber, 4).await, numbers(0..4));
}

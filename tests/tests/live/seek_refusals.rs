//! Seeks that cannot be followed, and handlers that seek.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use kinesis_stack::{Fault, On};
use ruststream::{ConnectedBroker, IncomingMessage, Seekable};
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisError, KinesisSeeker, MemoryLeaseStore};
use serde::Deserialize;
use tests::live::{OneStream, handle, handle_sorted, nothing, record, shard, within};
use tests::wire::create;
use tokio::sync::mpsc;

/// Asserts that the seek is refused with the name of that shard.
async fn refused(seeker: &KinesisSeeker, live: &OneStream, to: KinesisPosition, about: &str) {
    let answer = within(seeker.seek(to.clone())).await;
    let Err(KinesisError::Read { stream, shard, .. }) = answer else {
        panic!("{to:?} is refused, not {answer:?}");
    };
    assert_eq!((stream.as_str(), shard.as_str()), (live.stream(), about));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_seek_names_the_shard_and_moves_nothing() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    let written = live.put_many("key", 0..2).await;
    handle(&mut subscriber, 2).await;
    let sequence = written[0].sequence.as_str();

    let iterators = On::operation("GetShardIterator");
    live.stack().calls().clear();
    for malformed in ["", "first", "-1", "LATEST", "1.5"] {
        let to = KinesisPosition::sequence(shard(0), malformed);
        refused(&seeker, &live, to, &shard(0)).await;
    }
    let unknown = KinesisPosition::sequence(shard(7), sequence);
    refused(&seeker, &live, unknown, &shard(7)).await;
    assert_eq!(live.stack().calls().count(&iterators), 0);
    // These the service has to be asked about.
    let strange = KinesisPosition::sequence(shard(0), "1");
    refused(&seeker, &live, strange, &shard(0)).await;
    let never = KinesisPosition::timestamp(u64::MAX);
    refused(&seeker, &live, never, &shard(0)).await;

    live.put("key", "next").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["next"]);
    nothing(&mut subscriber, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_wide_seek_that_one_shard_refuses_moves_none() {
    let live = OneStream::embedded(2).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    for (hash_key, text) in [(0, "low"), (u128::MAX, "high")] {
        live.put_at(hash_key, text).await;
    }
    handle(&mut subscriber, 2).await;
    let one = On::operation("GetShardIterator").shard(shard(1));
    let denied = Fault::error(400, "AccessDeniedException", "not yours");
    live.stack().faults().always(one, denied);
    let seeker = subscriber.seeker();
    refused(&seeker, &live, KinesisPosition::horizon(), &shard(1)).await;

    for (hash_key, text) in [(0, "low next"), (u128::MAX, "high next")] {
        live.put_at(hash_key, text).await;
    }
    let next = handle_sorted(&mut subscriber, 2).await;
    assert_eq!(next, ["high next", "low next"]);
    nothing(&mut subscriber, Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_another_instance_owns_is_not_this_ones_to_move() {
    let live = OneStream::embedded(1).await;
    let store = Arc::new(MemoryLeaseStore::new());
    let (_owner, mut owning) = live.open(live.broker().lease_store(store.clone())).await;
    let (_other, other) = live.open(live.broker().lease_store(store)).await;
    live.put("key", "first").await;
    let first = record(&mut owning).await;
    let position = first.position();
    first.ack().await.expect("acknowledged");
    refused(&other.seeker(), &live, position, &shard(0)).await;
    live.put("key", "second").await;
    assert_eq!(handle(&mut owning, 1).await, ["second"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_that_is_read_to_its_end_is_not_moved_by_a_records_position() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "parent").await;
    let parent = record(&mut subscriber).await;
    let position = parent.position();
    parent.ack().await.expect("acknowledged");
    live.split(&shard(0)).await;
    live.put("key", "child").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["child"]);
    refused(&subscriber.seeker(), &live, position, &shard(0)).await;
    live.put("key", "next").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["next"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seeker_that_outlives_its_subscription_moves_nothing() {
    let live = OneStream::embedded(1).await;
    let (connected, subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    drop(subscriber);
    let mut next = live.subscribe(&connected).await;
    live.put("key", "first").await;
    handle(&mut next, 1).await;
    let answer = within(seeker.seek(KinesisPosition::horizon())).await;
    assert!(
        matches!(answer, Err(KinesisError::NotConnected)),
        "{answer:?}"
    );
    live.put("key", "second").await;
    assert_eq!(handle(&mut next, 1).await, ["second"]);

    let seeker = next.seeker();
    connected.shutdown().await.expect("shuts down");
    let answer = within(seeker.seek(KinesisPosition::horizon())).await;
    assert!(
        matches!(answer, Err(KinesisError::NotConnected)),
        "{answer:?}"
    );
}

#[derive(Deserialize)]
struct Job {
    id: u64,
}

/// Replays the retained backlog; on the marker record it abandons the rest of it and follows the
/// tip instead.
#[subscriber(KinesisStream::new("jobs"), start_at(KinesisPosition::horizon()))]
async fn replay(
    job: &Job,
    ctx: &mut Context<'_, KinesisContext, mpsc::UnboundedSender<u64>>,
    Ctx(seeker): Ctx<SeekHandle>,
) -> HandlerOutcome {
    if job.id == 999 && seeker.seek(KinesisPosition::latest()).await.is_err() {
        return HandlerOutcome::retry();
    }
    ctx.state().send(job.id).expect("the test listens");
    HandlerOutcome::ack()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_abandons_the_backlog_and_follows_the_tip() {
    let live = OneStream::embedded(1).await;
    create(live.client(), "jobs").await;
    let put = async |id: u64| {
        let put = live.client().put_record().stream_name("jobs");
        let data = aws_sdk_kinesis::primitives::Blob::new(format!(r#"{{"id":{id}}}"#));
        let put = put.partition_key("key").data(data).send();
        put.await.expect("the job is written");
    };
    for id in [1, 999, 2, 3] {
        put(id).await;
    }
    let (told, mut handled) = mpsc::unbounded_channel();
    let app = RustStream::new(AppInfo::new("jobs", "0.1.0"))
        .on_startup(async |()| Ok::<_, Infallible>(told))
        .with_broker(live.broker(), |b| {
            b.include(replay);
        });
    let running = app.start().await.expect("the app starts");
    assert_eq!(within(handled.recv()).await, Some(1));
    assert_eq!(within(handled.recv()).await, Some(999));
    // The seek has returned by now.
    put(4).await;
    assert_eq!(within(handled.recv()).await, Some(4));
    running.shutdown().await.expect("the app stops");
}

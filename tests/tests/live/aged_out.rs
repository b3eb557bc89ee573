//! Shards that age out of the stream while something of them is still to be settled.

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use kinesis_stack::{Fault, On};
use ruststream::{IncomingMessage, Seekable, Seeker, Subscriber};
use ruststream_kinesis::{ConnectedKinesisBroker, KinesisPosition, KinesisSubscriber, SHARD_END};
use tests::live::{OneStream, delivered, handle, nothing, record, shard, text, within};
use tests::store::{Op, RecordingStore, SeeingStore, Which};
use tokio::time::{sleep, timeout};

/// What two listings that count take, ten seconds apart, and the look after them.
const TWO_LISTINGS: Duration = Duration::from_secs(45);

/// Takes the first shard out of the stream, as the retention does, and waits until it shows.
async fn age_out(live: &OneStream) {
    let missing = Fault::error(400, "ResourceNotFoundException", "no such shard");
    for operation in ["GetRecords", "GetShardIterator"] {
        let on = On::operation(operation).shard(shard(0));
        live.stack().faults().always(on, missing.clone());
    }
    // The suite's own listings have no limit.
    let listings = On::operation("ListShards").when(|call| call.request["MaxResults"] == 1000);
    let unlisted = live.stack().faults().always(
        listings,
        Fault::rewrite(|body| {
            if let Some(shards) = body["Shards"].as_array_mut() {
                shards.retain(|listed| listed["ShardId"] != shard(0));
            }
        }),
    );
    let shown = timeout(TWO_LISTINGS, unlisted.reach(3)).await;
    shown.expect("the shards are listed");
}

/// Waits until that many records of the first shard are fetched and unsettled.
async fn fetched(connected: &ConnectedKinesisBroker, records: u64) {
    within(async {
        loop {
            let streams = connected.snapshot();
            let first = streams[0].shards.iter().find(|read| read.shard == shard(0));
            if first.is_some_and(|first| first.unsettled == records) {
                break;
            }
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// A record of the first shard that is delivered, and one that is fetched behind it.
async fn two(
    live: &OneStream,
    connected: &ConnectedKinesisBroker,
    subscriber: &mut KinesisSubscriber,
) -> ruststream_kinesis::KinesisMessage {
    live.put_at(0, "delivered").await;
    let first = record(subscriber).await;
    live.put_at(0, "fetched").await;
    fetched(connected, 2).await;
    first
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_that_ages_out_while_it_is_read_ends_with_what_was_fetched_and_is_not_asked_for_again()
 {
    let live = OneStream::embedded(2).await;
    let store = RecordingStore::new();
    let (connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let first = two(&live, &connected, &mut subscriber).await;
    age_out(&live).await;
    first.ack().await.expect("the lease is held");
    let second = within(delivered(&mut subscriber)).await;
    assert_eq!(text(&second), "fetched");
    second.ack().await.expect("the lease is held");
    store.stores(live.stream(), &shard(0), SHARD_END).await;
    store
        .answered(Which::from(Op::Release).shard(shard(0)), 1)
        .await;

    let calls = || {
        let service = live.stack().calls();
        let reads = ["GetRecords", "GetShardIterator"]
            .map(|operation| service.count(&On::operation(operation).shard(shard(0))));
        let store = Op::ALL.map(|op| store.count(Which::from(op).shard(shard(0))));
        (reads, store)
    };
    let before = calls();
    nothing(&mut subscriber, Duration::from_secs(5)).await;
    assert_eq!(calls(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_that_is_gone_is_given_to_no_instance_that_joins() {
    let live = OneStream::embedded(2).await;
    let store = SeeingStore::new();
    let leases = Duration::from_secs(3);
    let (connected, mut subscriber) = live.open(live.leasing(&store, leases)).await;
    let first = two(&live, &connected, &mut subscriber).await;
    age_out(&live).await;
    let (other, _subscriber) = live.open(live.leasing(&store, leases)).await;
    within(async {
        while other.snapshot()[0].shards.is_empty() {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    first.ack().await.expect("the lease is held");
    let second = within(delivered(&mut subscriber)).await;
    assert_eq!(text(&second), "fetched");
    second.ack().await.expect("the lease is held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seek_moves_the_others_while_a_shard_that_is_gone_is_not_settled() {
    let live = OneStream::embedded(2).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    let seeker = subscriber.seeker();
    live.put_at(0, "low").await;
    let low = record(&mut subscriber).await;
    live.put_at(u128::MAX, "high").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["high"]);
    age_out(&live).await;
    within(seeker.seek(KinesisPosition::horizon()))
        .await
        .expect("the other shard moves");
    let again = within(delivered(&mut subscriber)).await;
    assert_eq!(text(&again), "high");
    low.ack().await.expect("the lease is held");
}

/// Two instances, one at a record of a parent that ages out, the other without anything to do but its
/// child.
async fn child_waits(blind: bool) {
    let live = OneStream::embedded(2).await;
    let store = SeeingStore::new();
    let leases = Duration::from_secs(3);
    let (_connected, mut subscriber) = live.open(live.leasing(&store, leases)).await;
    live.put_at(0, "parent").await;
    let parent = record(&mut subscriber).await;
    let (other, mut others) = live.open(live.leasing(&store, leases)).await;
    within(async {
        while other.snapshot()[0].shards.is_empty() {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    live.split(&shard(0)).await;
    live.put_at(0, "child").await;
    if blind {
        store.blind();
    }
    // Trouble is reported meanwhile, since the rows cannot be seen.
    let mut records = pin!(others.stream().filter_map(async |item| item.ok()));
    tokio::select! {
        child = records.next() => {
            panic!("{:?} before its parent is settled", child.map(|child| text(&child)));
        }
        () = async {
            age_out(&live).await;
            sleep(Duration::from_secs(12)).await;
        } => {}
    }
    parent.ack().await.expect("the lease is held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_waits_for_what_another_instance_read_of_a_parent_that_is_gone() {
    child_waits(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_waits_for_what_another_instance_read_of_a_parent_that_no_survey_shows() {
    child_waits(true).await;
}

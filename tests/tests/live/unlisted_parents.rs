//! Parents that a listing leaves out, and what their children make of it.

use std::time::Duration;

use kinesis_stack::{Fault, On, Rule};
use ruststream::IncomingMessage;
use ruststream_kinesis::SHARD_END;
use tests::live::{OneStream, handle, nothing, record, shard, within};
use tests::store::{Op, RecordingStore, Which, left_at};

/// The listings that a subscription asks for; the suite's own have no limit.
fn listings() -> On {
    On::operation("ListShards").when(|call| call.request["MaxResults"] == 1000)
}

/// Leaves the first shard out of those.
fn unlisted(live: &OneStream) -> Rule {
    live.stack().faults().always(
        listings(),
        Fault::rewrite(|body| {
            if let Some(shards) = body["Shards"].as_array_mut() {
                shards.retain(|listed| listed["ShardId"] != shard(0));
            }
        }),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_of_a_followed_parent_opens_at_its_horizon_listed_or_aged_out() {
    for aged_out in [false, true] {
        let live = OneStream::embedded(1).await;
        live.put("key", "parent").await;
        live.split(&shard(0)).await;
        live.put_at(0, "left").await;
        let store = left_at(live.stream(), &shard(0), SHARD_END).await;
        // The records are older than the tip of the opening, of a clock that shows seconds.
        tokio::time::sleep(Duration::from_millis(2_100)).await;
        let _unlisted = aged_out.then(|| unlisted(&live));
        let (_connected, mut subscriber) = live.open(live.broker().lease_store(store)).await;
        assert_eq!(handle(&mut subscriber, 1).await, ["left"], "{aged_out}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_that_is_gone_from_the_listings_is_let_go_and_no_call_is_made_for_it_again() {
    let live = OneStream::embedded(2).await;
    let store = RecordingStore::new();
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    let written = live.put_at(0, "delivered").await;
    let delivered = record(&mut subscriber).await;
    // The second shard passes for a child of the first, which is gone.
    let gone = Fault::rewrite(|body| {
        if let Some(shards) = body["Shards"].as_array_mut() {
            shards.retain(|listed| listed["ShardId"] != shard(0));
            for listed in shards
                .iter_mut()
                .filter(|listed| listed["ShardId"] == shard(1))
            {
                listed["ParentShardId"] = shard(0).into();
            }
        }
    });
    let _gone = live.stack().faults().always(listings(), gone);
    // The end of a shard is followed by a listing at once.
    for split in [1, 2] {
        live.split(&shard(split)).await;
        store.stores(live.stream(), &shard(split), SHARD_END).await;
    }
    live.put_at(0, "never read").await;
    delivered.ack().await.expect("what was delivered settles");
    store
        .answered(Which::from(Op::Release).shard(shard(0)), 1)
        .await;
    assert_eq!(
        store.checkpoint_of(live.stream(), &shard(0)).await,
        Some(written.sequence)
    );

    let calls = || {
        let service = live.stack().calls();
        let reads = ["GetRecords", "GetShardIterator"]
            .map(|operation| service.count(&On::operation(operation).shard(shard(0))));
        let store = [
            Op::Acquire,
            Op::Renew,
            Op::Checkpoint,
            Op::Read,
            Op::Release,
        ]
        .map(|op| store.count(Which::from(op).shard(shard(0))));
        (reads, store)
    };
    let before = calls();
    nothing(&mut subscriber, Duration::from_secs(5)).await;
    assert_eq!(calls(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn children_wait_for_a_parent_in_flight_though_a_listing_leaves_it_out() {
    let live = OneStream::embedded(1).await;
    let (_connected, mut subscriber) = live.open(live.broker()).await;
    live.put("key", "parent").await;
    let parent = record(&mut subscriber).await;
    let unlisted = unlisted(&live);
    live.split(&shard(0)).await;
    live.put("key", "child").await;
    let listed = unlisted.hits();
    within(unlisted.reach(listed + 1)).await;
    nothing(&mut subscriber, Duration::from_secs(4)).await;
    parent.ack().await.expect("the record is acknowledged");
    assert_eq!(handle(&mut subscriber, 1).await, ["child"]);
}

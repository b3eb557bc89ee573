//! Parents that a listing leaves out, and what their children make of it.

use std::time::Duration;

use kinesis_stack::{Fault, On, Rule};
use ruststream::IncomingMessage;
use ruststream_kinesis::SHARD_END;
use tests::live::{OneStream, handle, nothing, record, shard, within};
use tests::store::left_at;

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

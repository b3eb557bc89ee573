//! Listing the shards of a stream that has many.

use std::collections::BTreeSet;

use kinesis_stack::{Fault, On};
use serde_json::Value;
use tests::live::{OneStream, handle, shard};
use tests::store::{Op, RecordingStore};

fn asked(store: &RecordingStore) -> BTreeSet<String> {
    let calls = store.calls(Op::Acquire);
    calls
        .iter()
        .map(|call| call.key.shard().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_shard_is_taken_in_one_round_from_a_listing_of_many_pages() {
    const SHARDS: usize = 1_100;
    let live = OneStream::embedded(i32::try_from(SHARDS).expect("few enough")).await;
    let store = RecordingStore::new();
    live.stack().calls().clear();
    let (_connected, _subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    assert_eq!(asked(&store), (0..SHARDS).map(shard).collect());
    assert_eq!(store.count(Op::Acquire), SHARDS);

    let pages = live.stack().calls().selected(&On::operation("ListShards"));
    assert_eq!(pages.len(), 2);
    let named = |request: &Value| !request["StreamName"].is_null();
    assert!(named(&pages[0].request));
    // A next token stands for the stream: the service refuses both together.
    for page in &pages[1..] {
        assert!(page.request["NextToken"].is_string());
        assert!(!named(&page.request));
        assert!(page.request["StreamARN"].is_null());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_token_that_expires_starts_the_listing_again() {
    let live = OneStream::embedded(1_001).await;
    let store = RecordingStore::new();
    live.stack().calls().clear();
    let second_page =
        On::operation("ListShards").when(|call| call.request["NextToken"].is_string());
    let expired = live
        .stack()
        .faults()
        .once(second_page, Fault::ExpiredListToken);
    let (_connected, mut subscriber) = live.open(live.broker().lease_store(store.clone())).await;
    assert_eq!(expired.hits(), 1);
    assert_eq!(asked(&store), (0..1_001).map(shard).collect());
    live.put_at(u128::MAX, "last").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["last"]);
}

//! Closed shards end, and name their children.

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::operation::get_records::GetRecordsOutput;
use aws_sdk_kinesis::types::ShardIteratorType;
use kinesis_stack::{KinesisStack, On};

use super::{FIRST, client, create, horizon, iterator, put, read, texts, with_stream};

const MIDDLE: &str = "170141183460469231731687303715884105728";

async fn split(client: &Client) {
    let split = client
        .split_shard()
        .stream_name("orders")
        .shard_to_split(FIRST)
        .new_starting_hash_key(MIDDLE);
    split.send().await.expect("split");
}

/// Pages from here to the end of the shard.
async fn to_end(client: &Client, mut at: String) -> Vec<GetRecordsOutput> {
    let mut pages = Vec::new();
    for _ in 0..10 {
        pages.push(read(client, &at).await);
        match &pages.last().expect("just read").next_shard_iterator {
            Some(next) => at = next.clone(),
            None => return pages,
        }
    }
    panic!("the shard does not end");
}

fn child_ids(page: &GetRecordsOutput) -> Vec<&str> {
    page.child_shards()
        .iter()
        .map(|child| child.shard_id.as_str())
        .collect()
}

#[tokio::test]
async fn a_split_shard_is_read_to_an_empty_page_that_names_both_children() {
    let (stack, client) = with_stream("orders", 1).await;
    put(&client, "orders", "one").await;
    split(&client).await;
    put(&client, "orders", "two").await;

    let pages = to_end(&client, horizon(&client, "orders").await).await;

    assert_eq!(pages.iter().flat_map(texts).collect::<Vec<_>>(), ["one"]);
    let (last, others) = pages.split_last().expect("pages");
    assert!(last.records.is_empty());
    assert_eq!(
        child_ids(last),
        ["shardId-000000000001", "shardId-000000000002"]
    );
    assert_eq!(last.child_shards()[0].parent_shards(), [FIRST]);
    assert!(others.iter().all(|page| page.child_shards().is_empty()));

    let finished = On::operation("GetRecords").stream("orders").shard(FIRST);
    assert_eq!(stack.calls().count(&finished), pages.len());
}

#[tokio::test]
async fn the_tip_of_a_closed_shard_is_its_end() {
    let (_stack, client) = with_stream("orders", 1).await;
    put(&client, "orders", "one").await;
    let tip = iterator(&client, "orders", FIRST, ShardIteratorType::Latest).await;
    split(&client).await;
    let pages = to_end(&client, tip).await;
    assert_eq!(pages.len(), 1);
    assert_eq!(child_ids(&pages[0]).len(), 2);
}

#[tokio::test]
async fn the_last_records_may_end_the_shard_at_once() {
    let stack = KinesisStack::builder().last_records_end_shard(true).start();
    let client = client(&stack);
    create(&client, "orders", 1).await;
    put(&client, "orders", "one").await;
    split(&client).await;
    let pages = to_end(&client, horizon(&client, "orders").await).await;
    assert_eq!(pages.len(), 1);
    assert_eq!(
        (texts(&pages[0]), child_ids(&pages[0]).len()),
        (vec!["one"], 2)
    );
}

#[tokio::test]
async fn both_parents_of_a_merge_name_the_same_child() {
    let (_stack, client) = with_stream("orders", 2).await;
    let second = "shardId-000000000001";
    let merge = client
        .merge_shards()
        .stream_name("orders")
        .shard_to_merge(FIRST)
        .adjacent_shard_to_merge(second);
    merge.send().await.expect("merged");
    for parent in [FIRST, second] {
        let at = iterator(&client, "orders", parent, ShardIteratorType::TrimHorizon).await;
        let pages = to_end(&client, at).await;
        let last = pages.last().expect("pages");
        assert_eq!(child_ids(last), ["shardId-000000000002"]);
        assert_eq!(last.child_shards()[0].parent_shards(), [FIRST, second]);
    }
}

#[tokio::test]
async fn an_open_shard_goes_on() {
    let (_stack, client) = with_stream("orders", 1).await;
    let mut at = horizon(&client, "orders").await;
    for _ in 0..3 {
        let page = read(&client, &at).await;
        assert!(page.child_shards().is_empty());
        at = page.next_shard_iterator.expect("open");
    }
}

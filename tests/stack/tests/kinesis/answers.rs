//! Answers the emulator gets wrong and the layer makes those of the service.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::primitives::{Blob, DateTime};
use aws_sdk_kinesis::types::{PutRecordsRequestEntry, ShardIteratorType};
use kinesis_stack::{KinesisStack, On};

use super::{
    FIRST, client, create, describe, horizon, list, put, read, summary, texts, with_stream, write,
};

/// A moment between two records, in fractions of a second.
async fn moment() -> DateTime {
    tokio::time::sleep(Duration::from_millis(5)).await;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("the clock is past 1970");
    tokio::time::sleep(Duration::from_millis(5)).await;
    DateTime::from_secs_f64(now.as_secs_f64())
}

async fn from(client: &Client, time: DateTime) -> Vec<String> {
    let ask = client
        .get_shard_iterator()
        .stream_name("orders")
        .shard_id(FIRST)
        .timestamp(time);
    let answer = ask
        .shard_iterator_type(ShardIteratorType::AtTimestamp)
        .send()
        .await
        .expect("an iterator");
    let page = read(client, &answer.shard_iterator.expect("an iterator")).await;
    texts(&page).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_time_leads_to_the_first_record_from_it_on() {
    let (_stack, client) = with_stream("orders", 1).await;
    let before = moment().await;
    put(&client, "orders", "one").await;
    let between = moment().await;
    let two = PutRecordsRequestEntry::builder()
        .partition_key("key")
        .data(Blob::new("two"))
        .build()
        .expect("complete");
    client
        .put_records()
        .stream_name("orders")
        .records(two)
        .send()
        .await
        .expect("written");
    let after = moment().await;

    assert_eq!(from(&client, before).await, ["one", "two"]);
    assert_eq!(from(&client, between).await, ["two"]);
    assert!(from(&client, after).await.is_empty());
}

#[tokio::test]
async fn an_arrival_time_is_the_time_of_the_write() {
    let (_stack, client) = with_stream("orders", 1).await;
    let before = moment().await.as_secs_f64();
    put(&client, "orders", "one").await;
    let after = moment().await.as_secs_f64();
    let page = read(&client, &horizon(&client, "orders").await).await;
    let arrived = page.records[0]
        .approximate_arrival_timestamp
        .expect("a time")
        .as_secs_f64();
    assert!(
        (before..=after).contains(&arrived),
        "{before} {arrived} {after}"
    );
}

#[tokio::test]
async fn every_call_on_a_stream_takes_its_arn() {
    let (stack, client) = with_stream("orders", 1).await;
    put(&client, "orders", "one").await;
    let arn = summary(&client, "orders").await.stream_arn;

    client
        .describe_stream_summary()
        .stream_arn(&arn)
        .send()
        .await
        .expect("a summary");
    client
        .list_shards()
        .stream_arn(&arn)
        .send()
        .await
        .expect("a listing");
    let ask = client.get_shard_iterator().stream_arn(&arn).shard_id(FIRST);
    let answer = ask
        .shard_iterator_type(ShardIteratorType::TrimHorizon)
        .send()
        .await
        .expect("an iterator");
    let ask = client
        .get_records()
        .stream_arn(&arn)
        .shard_iterator(answer.shard_iterator.expect("an iterator"));
    assert_eq!(texts(&ask.send().await.expect("a page")), ["one"]);
    client
        .put_record()
        .stream_arn(&arn)
        .partition_key("key")
        .data(Blob::new("two"))
        .send()
        .await
        .expect("written");
    client
        .delete_stream()
        .stream_arn(&arn)
        .send()
        .await
        .expect("deleted");

    assert_eq!(
        stack.calls().count(&On::any().stream("orders")),
        stack.calls().all().len()
    );
}

#[tokio::test]
async fn a_list_token_stands_alone_and_pages_have_a_thousand_shards() {
    let (stack, client) = with_stream("orders", 2_500).await;
    let mut page = list(&client, "orders").send().await.expect("a page");
    let mut sizes = vec![page.shards().len()];
    while let Some(token) = page.next_token {
        page = client
            .list_shards()
            .next_token(token)
            .send()
            .await
            .expect("a page");
        sizes.push(page.shards().len());
    }
    assert_eq!(sizes, [1_000, 1_000, 500]);
    assert_eq!(
        stack
            .calls()
            .count(&On::operation("ListShards").stream("orders")),
        3
    );

    let page = list(&client, "orders")
        .max_results(1)
        .send()
        .await
        .expect("a page");
    let both = list(&client, "orders").next_token(page.next_token.expect("a token"));
    let refused = both.send().await.expect_err("a token excludes the name");
    assert!(refused.into_service_error().is_invalid_argument_exception());
}

#[tokio::test]
async fn a_full_page_says_how_far_it_is_behind() {
    let (_stack, client) = with_stream("orders", 1).await;
    for text in ["one", "two"] {
        put(&client, "orders", text).await;
    }
    let at = horizon(&client, "orders").await;
    let page = client
        .get_records()
        .shard_iterator(at)
        .limit(1)
        .send()
        .await
        .expect("a page");
    assert!(page.millis_behind_latest > Some(0));
    let next = client
        .get_records()
        .shard_iterator(page.next_shard_iterator.expect("more"))
        .limit(1);
    let page = next.send().await.expect("a page");
    assert_eq!(
        (texts(&page), page.millis_behind_latest),
        (vec!["two"], Some(0))
    );
}

#[tokio::test]
async fn a_page_ends_at_ten_mebibytes() {
    let (_stack, client) = with_stream("orders", 1).await;
    let large = "x".repeat(1024 * 1024 - 3);
    for _ in 0..12 {
        put(&client, "orders", &large).await;
    }
    let page = read(&client, &horizon(&client, "orders").await).await;
    assert_eq!(page.records.len(), 10);
    assert!(page.millis_behind_latest > Some(0));
    let page = read(&client, &page.next_shard_iterator.expect("more")).await;
    assert_eq!(page.records.len(), 2);
    assert_eq!(page.millis_behind_latest, Some(0));
}

#[tokio::test]
async fn a_missing_stream_is_not_found() {
    let stack = KinesisStack::start();
    let client = client(&stack);
    let summary = describe(&client, "none")
        .send()
        .await
        .expect_err("no stream");
    assert!(
        summary
            .into_service_error()
            .is_resource_not_found_exception()
    );
    let listing = list(&client, "none").send().await.expect_err("no stream");
    assert!(
        listing
            .into_service_error()
            .is_resource_not_found_exception()
    );
    let put = write(&client, "none", "one");
    assert!(
        put.send()
            .await
            .expect_err("no stream")
            .into_service_error()
            .is_resource_not_found_exception()
    );
    let ask = client
        .get_shard_iterator()
        .stream_name("none")
        .shard_id(FIRST);
    let ask = ask
        .shard_iterator_type(ShardIteratorType::Latest)
        .send()
        .await
        .expect_err("no stream");
    assert!(ask.into_service_error().is_resource_not_found_exception());
}

#[tokio::test]
async fn an_iterator_expires_after_the_lifetime_that_was_set() {
    const LIFETIME: Duration = Duration::from_millis(100);
    let stack = KinesisStack::builder().iterator_lifetime(LIFETIME).start();
    let client = client(&stack);
    create(&client, "orders", 1).await;
    let at = horizon(&client, "orders").await;
    tokio::time::sleep(2 * LIFETIME).await;
    let read = |iterator: String| client.get_records().shard_iterator(iterator).send();
    let expired = read(at).await.expect_err("expired").into_service_error();
    assert!(expired.is_expired_iterator_exception());
    // A fresh one is read, unless this machine stands still for its lifetime.
    loop {
        let asked = Instant::now();
        let page = read(horizon(&client, "orders").await).await;
        let Err(refused) = page else { break };
        assert!(refused.into_service_error().is_expired_iterator_exception());
        // An iterator tells when it was given to the millisecond.
        assert!(asked.elapsed() + Duration::from_millis(1) > LIFETIME);
    }
}

#[tokio::test]
async fn a_record_counts_with_its_partition_key() {
    const LARGEST: usize = 1024 * 1024;
    let (_stack, client) = with_stream("orders", 1).await;
    let put = |data: usize| write(&client, "orders", vec![0; data]).send();
    put(LARGEST - "key".len()).await.expect("it fits");
    put(LARGEST - "key".len() + 1)
        .await
        .expect_err("one byte too many");
}

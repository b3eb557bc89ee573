//! Each fault happens to the client, once, and leaves behind what it promises.

use std::time::{Duration, Instant};

use aws_sdk_kinesis::config::timeout::TimeoutConfig;
use aws_sdk_kinesis::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_sdk_kinesis::types::ShardIteratorType;
use kinesis_stack::{Fault, On};

use super::{
    FIRST, client, horizon, iterator, list, put, read, settings, texts, with_stream, write,
};

#[tokio::test]
async fn a_throttled_read_is_refused_once_and_then_served() {
    let (stack, client) = with_stream("orders", 1).await;
    put(&client, "orders", "one").await;
    let at = horizon(&client, "orders").await;
    let rule = stack.faults().once(
        On::operation("GetRecords").stream("orders").shard(FIRST),
        Fault::Throttle,
    );

    let refused = client
        .get_records()
        .shard_iterator(&at)
        .send()
        .await
        .expect_err("throttled");

    assert!(
        refused
            .into_service_error()
            .is_provisioned_throughput_exceeded_exception()
    );
    assert_eq!(texts(&read(&client, &at).await), ["one"]);
    assert_eq!(rule.hits(), 1);
}

#[tokio::test]
async fn a_throttled_listing_exceeds_its_limit() {
    let (stack, client) = with_stream("orders", 1).await;
    stack
        .faults()
        .once(On::operation("ListShards"), Fault::Throttle);
    let refused = list(&client, "orders").send().await.expect_err("throttled");
    assert!(refused.into_service_error().is_limit_exceeded_exception());
}

#[tokio::test]
async fn an_error_before_applying_leaves_nothing_and_an_error_after_leaves_the_record() {
    let (stack, client) = with_stream("orders", 1).await;
    for (fault, kept) in [(Fault::ErrorBefore, 0), (Fault::ErrorAfter, 1)] {
        stack
            .faults()
            .once(On::operation("PutRecord").key("key"), fault);
        let put = write(&client, "orders", "one");
        let failed = put.send().await.expect_err("a server error");
        assert_eq!(
            failed.raw_response().expect("an answer").status().as_u16(),
            500
        );
        assert_eq!(
            read(&client, &horizon(&client, "orders").await)
                .await
                .records
                .len(),
            kept
        );
    }
}

#[tokio::test]
async fn a_call_without_an_answer_ends_by_the_clients_own_timeout() {
    let (stack, _) = with_stream("orders", 1).await;
    let timeouts = TimeoutConfig::builder()
        .operation_timeout(Duration::from_millis(300))
        .build();
    let hasty =
        aws_sdk_kinesis::Client::from_conf(settings(&stack).timeout_config(timeouts).build());
    stack
        .faults()
        .once(On::operation("ListShards"), Fault::NoAnswer);

    let failed = list(&hasty, "orders").send().await.expect_err("no answer");

    assert!(
        matches!(failed, SdkError::TimeoutError(_)),
        "{}",
        DisplayErrorContext(failed)
    );
    list(&client(&stack), "orders")
        .send()
        .await
        .expect("others are served meanwhile");
}

#[tokio::test]
async fn a_cut_connection_shows_as_such_and_applies_only_when_it_says_so() {
    let (stack, client) = with_stream("orders", 1).await;
    for (fault, kept) in [(Fault::DropBefore, 0), (Fault::DropAfter, 1)] {
        stack.faults().once(On::operation("PutRecord"), fault);
        let put = write(&client, "orders", "one");
        let failed = put.send().await.expect_err("cut");
        assert!(
            matches!(failed, SdkError::DispatchFailure(_)),
            "{}",
            DisplayErrorContext(failed)
        );
        assert_eq!(
            read(&client, &horizon(&client, "orders").await)
                .await
                .records
                .len(),
            kept
        );
    }
}

#[tokio::test]
async fn iterators_and_list_tokens_expire_on_demand() {
    let (stack, client) = with_stream("orders", 2).await;
    stack
        .faults()
        .once(On::operation("GetRecords"), Fault::ExpiredIterator);
    let at = horizon(&client, "orders").await;
    let expired = client
        .get_records()
        .shard_iterator(at)
        .send()
        .await
        .expect_err("expired");
    assert!(expired.into_service_error().is_expired_iterator_exception());

    let page = list(&client, "orders")
        .max_results(1)
        .send()
        .await
        .expect("a page");
    stack.faults().once(
        On::operation("ListShards").stream("orders"),
        Fault::ExpiredListToken,
    );
    let next = client
        .list_shards()
        .next_token(page.next_token.expect("a token"));
    let expired = next.send().await.expect_err("expired");
    assert!(
        expired
            .into_service_error()
            .is_expired_next_token_exception()
    );
}

#[tokio::test]
async fn empty_pages_behind_keep_the_position() {
    let (stack, client) = with_stream("orders", 1).await;
    put(&client, "orders", "one").await;
    stack
        .faults()
        .times(5, On::operation("GetRecords"), Fault::EmptyPageBehind);
    let mut at = horizon(&client, "orders").await;
    for _ in 0..5 {
        let page = read(&client, &at).await;
        assert!(page.records.is_empty());
        assert!(page.millis_behind_latest > Some(0));
        at = page.next_shard_iterator.expect("the shard goes on");
    }
    assert_eq!(texts(&read(&client, &at).await), ["one"]);
}

#[tokio::test]
async fn a_delayed_call_is_served_late() {
    let (stack, client) = with_stream("orders", 1).await;
    stack
        .faults()
        .once(On::any(), Fault::Delay(Duration::from_millis(200)));
    let started = Instant::now();
    list(&client, "orders").send().await.expect("served");
    assert!(started.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn a_page_may_come_in_reverse() {
    let (stack, client) = with_stream("orders", 1).await;
    for text in ["one", "two", "three"] {
        put(&client, "orders", text).await;
    }
    stack
        .faults()
        .once(On::operation("GetRecords"), Fault::ReversePage);
    assert_eq!(
        texts(&read(&client, &horizon(&client, "orders").await).await),
        ["three", "two", "one"]
    );
}

#[tokio::test]
async fn any_answer_can_be_scripted() {
    let (stack, client) = with_stream("orders", 1).await;
    let expired = Fault::error(
        400,
        "ExpiredTokenException",
        "The security token has expired",
    );
    stack.faults().once(On::any(), expired);
    let failed = list(&client, "orders").send().await.expect_err("scripted");
    assert_eq!(failed.code(), Some("ExpiredTokenException"));

    let body = serde_json::json!({ "Shards": [] });
    stack
        .faults()
        .once(On::any(), Fault::Answer { status: 200, body });
    let listing = list(&client, "orders").send().await.expect("scripted");
    assert!(listing.shards().is_empty());
}

#[tokio::test]
async fn a_served_answer_can_be_rewritten() {
    let (stack, client) = with_stream("orders", 3).await;
    let without_first = Fault::rewrite(|listing| {
        listing["Shards"]
            .as_array_mut()
            .expect("a listing")
            .remove(0);
    });
    stack
        .faults()
        .once(On::operation("ListShards"), without_first);
    let listing = list(&client, "orders").send().await.expect("a listing");
    assert_eq!(listing.shards().len(), 2);
}

#[tokio::test]
async fn a_rule_counts_only_the_calls_it_selects_and_can_be_taken_back() {
    let (stack, client) = with_stream("orders", 2).await;
    let second = "shardId-000000000001";
    let rule = stack.faults().always(
        On::operation("GetRecords").shard(second).after(1),
        Fault::Throttle,
    );
    let first_at = horizon(&client, "orders").await;
    let second_at = iterator(&client, "orders", second, ShardIteratorType::TrimHorizon).await;

    read(&client, &first_at).await;
    read(&client, &second_at).await;
    client
        .get_records()
        .shard_iterator(&second_at)
        .send()
        .await
        .expect_err("the second read of the shard");
    rule.reach(1).await;
    assert_eq!(rule.hits(), 1);

    rule.remove();
    read(&client, &second_at).await;
    stack.faults().always(On::any(), Fault::Throttle);
    stack.faults().clear();
    read(&client, &second_at).await;
}

#[tokio::test]
async fn a_rule_may_look_into_the_call() {
    let (stack, client) = with_stream("orders", 1).await;
    let at_tip = On::operation("GetShardIterator")
        .when(|call| call.request["ShardIteratorType"] == "LATEST");
    stack.faults().always(at_tip.clone(), Fault::ErrorBefore);
    horizon(&client, "orders").await;
    let ask = client
        .get_shard_iterator()
        .stream_name("orders")
        .shard_id(FIRST);
    ask.shard_iterator_type(ShardIteratorType::Latest)
        .send()
        .await
        .expect_err("scripted");
    assert_eq!(stack.calls().count(&at_tip), 1);
}

//! The life of streams, and fan-out.

use std::time::Duration;

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::error::ProvideErrorMetadata;
use aws_sdk_kinesis::operation::get_shard_iterator::builders::GetShardIteratorFluentBuilder;
use aws_sdk_kinesis::primitives::Blob;
use aws_sdk_kinesis::types::{
    ConsumerStatus, ShardIteratorType, StartingPosition, StreamStatus, SubscribeToShardEventStream,
};
use kinesis_stack::{Fault, KinesisStack, On};

use super::{
    FIRST, client, create, describe, horizon, put, read, summary, texts, with_stream, write,
};

/// The iterator that resumes after that record.
fn after(client: &Client, sequence: String) -> GetShardIteratorFluentBuilder {
    let ask = client.get_shard_iterator().stream_name("orders");
    ask.shard_id(FIRST)
        .starting_sequence_number(sequence)
        .shard_iterator_type(ShardIteratorType::AfterSequenceNumber)
}

#[tokio::test]
async fn a_stream_is_there_and_gone_by_the_time_the_call_is_answered() {
    let (_stack, client) = with_stream("orders", 1).await;
    assert_eq!(
        summary(&client, "orders").await.stream_status,
        StreamStatus::Active
    );
    client
        .delete_stream()
        .stream_name("orders")
        .send()
        .await
        .expect("deleted");
    let gone = describe(&client, "orders").send().await.expect_err("gone");
    assert!(gone.into_service_error().is_resource_not_found_exception());
}

#[tokio::test]
async fn a_stream_created_again_is_another_one() {
    let (_stack, client) = with_stream("orders", 1).await;
    let stale = put(&client, "orders", "one").await;
    let first = summary(&client, "orders").await.stream_creation_timestamp;
    client
        .delete_stream()
        .stream_name("orders")
        .send()
        .await
        .expect("deleted");
    create(&client, "orders", 1).await;

    assert_ne!(
        summary(&client, "orders").await.stream_creation_timestamp,
        first
    );
    assert!(
        read(&client, &horizon(&client, "orders").await)
            .await
            .records
            .is_empty()
    );
    let ask = after(&client, stale).send().await;
    assert_eq!(
        ask.expect_err("a number of the old stream").code(),
        Some("InvalidArgumentException")
    );
}

#[tokio::test]
async fn a_slow_creation_and_another_retention_are_settings() {
    let stack = KinesisStack::builder()
        .create_delay(Duration::from_millis(500))
        .retention_hours(48)
        .start();
    let client = client(&stack);
    create(&client, "orders", 1).await;
    let created = summary(&client, "orders").await;
    assert_eq!(
        (created.stream_status, created.retention_period_hours),
        (StreamStatus::Creating, 48)
    );
    while summary(&client, "orders").await.stream_status != StreamStatus::Active {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn the_shard_limit_is_a_setting() {
    let stack = KinesisStack::builder().shard_limit(2).start();
    let refused = client(&stack)
        .create_stream()
        .stream_name("orders")
        .shard_count(3)
        .send()
        .await;
    assert!(
        refused
            .expect_err("too many")
            .into_service_error()
            .is_limit_exceeded_exception()
    );
}

#[tokio::test]
async fn a_trimmed_stream_starts_at_the_next_record() {
    let (stack, client) = with_stream("orders", 1).await;
    let trimmed = put(&client, "orders", "one").await;
    stack.trim("orders").await;
    put(&client, "orders", "two").await;
    assert_eq!(
        texts(&read(&client, &horizon(&client, "orders").await).await),
        ["two"]
    );
    let after = after(&client, trimmed).send().await.expect("an iterator");
    assert_eq!(
        texts(&read(&client, &after.shard_iterator.expect("an iterator")).await),
        ["two"]
    );
}

#[tokio::test]
async fn a_subscription_streams_records_and_ends_with_its_lifetime() {
    let stack = KinesisStack::builder()
        .subscription_lifetime(Duration::from_millis(600))
        .start();
    let client = client(&stack);
    create(&client, "orders", 1).await;
    put(&client, "orders", "one").await;
    let stream_arn = summary(&client, "orders").await.stream_arn;
    let register = client
        .register_stream_consumer()
        .stream_arn(&stream_arn)
        .consumer_name("fan");
    let consumer = register
        .send()
        .await
        .expect("registered")
        .consumer
        .expect("a consumer")
        .consumer_arn;
    loop {
        let describe = client
            .describe_stream_consumer()
            .consumer_arn(&consumer)
            .send()
            .await
            .expect("described");
        if describe
            .consumer_description
            .expect("a consumer")
            .consumer_status
            == ConsumerStatus::Active
        {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let horizon = StartingPosition::builder()
        .r#type(ShardIteratorType::TrimHorizon)
        .build()
        .expect("complete");
    let subscribe = || {
        client
            .subscribe_to_shard()
            .consumer_arn(&consumer)
            .shard_id(FIRST)
    };
    let selected = On::operation("SubscribeToShard")
        .stream("orders")
        .shard(FIRST);
    stack.faults().once(selected.clone(), Fault::Throttle);
    let refused = subscribe()
        .starting_position(horizon.clone())
        .send()
        .await
        .expect_err("throttled");
    assert!(refused.into_service_error().is_limit_exceeded_exception());

    let mut events = subscribe()
        .starting_position(horizon)
        .send()
        .await
        .expect("subscribed")
        .event_stream;
    let mut seen = Vec::new();
    while let Some(event) = events.recv().await.expect("an event") {
        if let SubscribeToShardEventStream::SubscribeToShardEvent(event) = event {
            seen.extend(event.records.into_iter().map(|record| record.data));
        }
    }
    assert_eq!(seen, [Blob::new("one")]);
    assert_eq!(stack.calls().count(&selected), 2);
}

#[tokio::test]
async fn a_stream_is_there_once_a_call_names_it_where_the_builder_says_so() {
    let stack = KinesisStack::builder().streams_on_use(2).start();
    let client = client(&stack);
    let described = describe(&client, "elsewhere")
        .send()
        .await
        .expect("the stream is there");
    let summary = described.stream_description_summary().expect("a summary");
    assert_eq!(summary.open_shard_count(), 2);
    write(&client, "another", "record")
        .send()
        .await
        .expect("that one is there too");
    describe(&client, "no stream has such a name")
        .send()
        .await
        .expect_err("a name the service refuses stays refused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_several_calls_name_at_once_is_there_for_all_of_them() {
    let stack = KinesisStack::builder().streams_on_use(2).start();
    let client = client(&stack);
    for round in 0..20 {
        let stream = format!("orders-{round}");
        let opened = (0..8).map(|_| {
            let (client, stream) = (client.clone(), stream.clone());
            tokio::spawn(async move {
                put(&client, &stream, "one").await;
                horizon(&client, &stream).await
            })
        });
        for opened in futures::future::join_all(opened).await {
            opened.expect("the stream is there");
        }
    }
}

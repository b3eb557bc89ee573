//! Stacks start, run side by side and stop.

use std::net::TcpListener;
use std::time::{Duration, SystemTime};

use aws_sdk_kinesis::primitives::{DateTime, DateTimeFormat};
use kinesis_stack::{KinesisStack, On};

use super::{client, create, list, put, with_stream};

async fn names(stack: &KinesisStack) -> Vec<String> {
    client(stack)
        .list_streams()
        .send()
        .await
        .expect("a listing")
        .stream_names
}

#[tokio::test]
async fn two_stacks_run_side_by_side() {
    let (left, _) = with_stream("left", 1).await;
    let (right, _) = with_stream("right", 1).await;
    assert_ne!(left.endpoint(), right.endpoint());
    assert_eq!(names(&left).await, ["left"]);
    assert_eq!(names(&right).await, ["right"]);
}

#[tokio::test]
async fn a_dropped_stack_cuts_its_connections_and_frees_its_port() {
    let (stack, client) = with_stream("orders", 1).await;
    let address = stack.endpoint().trim_start_matches("http://").to_owned();
    drop(stack);
    client.list_streams().send().await.expect_err("no server");
    TcpListener::bind(address).expect("the port is free");
}

#[test]
fn a_stack_outlives_the_runtime_it_was_started_in() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime")
    };
    let (stack, _) = runtime().block_on(with_stream("orders", 1));
    assert_eq!(runtime().block_on(names(&stack)), ["orders"]);
}

#[tokio::test]
async fn the_log_tells_operation_stream_and_key_and_forgets_payloads() {
    let (stack, client) = with_stream("orders", 1).await;
    stack.calls().clear();
    put(&client, "orders", "one").await;
    let log = stack.calls().all();
    assert_eq!(log.len(), 1);
    assert_eq!(
        (log[0].operation.as_str(), log[0].resource.as_deref()),
        ("PutRecord", Some("orders"))
    );
    assert_eq!(log[0].keys, ["key"]);
    assert_eq!(
        log[0].request,
        serde_json::json!({ "StreamName": "orders", "PartitionKey": "key" })
    );
}

#[tokio::test]
async fn a_call_can_be_waited_for() {
    let (stack, client) = with_stream("orders", 1).await;
    let writes = On::operation("PutRecord");
    let (_, ()) = tokio::join!(
        put(&client, "orders", "one"),
        stack.calls().reach(&writes, 1)
    );
    assert_eq!(stack.calls().selected(&writes).len(), 1);
}

#[tokio::test]
async fn the_date_header_follows_the_clock_shift() {
    for shift in [-3_600, 0, 3_600] {
        let stack = KinesisStack::builder().clock_shift(shift).start();
        let client = client(&stack);
        create(&client, "orders", 1).await;
        let failed = list(&client, "none").send().await.expect_err("no stream");
        let date = failed
            .raw_response()
            .expect("an answer")
            .headers()
            .get("date")
            .expect("a date");
        let date = DateTime::from_str(date, DateTimeFormat::HttpDate).expect("an HTTP date");
        let expected = DateTime::from(SystemTime::now()).secs() + shift;
        assert!(date.secs().abs_diff(expected) < Duration::from_mins(1).as_secs());
    }
}

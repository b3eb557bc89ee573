//! The `DynamoDB` stack as a plain AWS SDK client sees it.

use std::net::TcpListener;
use std::time::{Duration, Instant, SystemTime};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Builder, Credentials, Region, retry::RetryConfig, timeout::TimeoutConfig,
};
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::primitives::{DateTime, DateTimeFormat};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType,
    ReturnValuesOnConditionCheckFailure, ScalarAttributeType, TableStatus,
};
use kinesis_stack::{DynamoStack, Fault, On};

fn settings(stack: &DynamoStack) -> Builder {
    aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(stack.endpoint())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("key", "secret", None, None, "test"))
        .retry_config(RetryConfig::disabled())
        .timeout_config(
            TimeoutConfig::builder()
                .operation_timeout(Duration::from_secs(30))
                .build(),
        )
}

/// A stack with a table `leases`, keyed by the string `lease_key`.
async fn with_table() -> (DynamoStack, Client) {
    let stack = DynamoStack::start();
    let client = Client::from_conf(settings(&stack).build());
    let attribute = AttributeDefinition::builder()
        .attribute_name("lease_key")
        .attribute_type(ScalarAttributeType::S);
    let key = KeySchemaElement::builder()
        .attribute_name("lease_key")
        .key_type(KeyType::Hash);
    let create = client
        .create_table()
        .table_name("leases")
        .attribute_definitions(attribute.build().expect("complete"))
        .key_schema(key.build().expect("complete"))
        .billing_mode(BillingMode::PayPerRequest);
    create.send().await.expect("the table is created");
    (stack, client)
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

/// Counts one write up in the row of `shard`.
fn count_up(client: &Client, shard: &str) -> UpdateItemFluentBuilder {
    client
        .update_item()
        .table_name("leases")
        .key("lease_key", text(shard))
        .update_expression("ADD writes :one")
        .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
}

async fn writes(client: &Client, shard: &str) -> u32 {
    let item = client
        .get_item()
        .table_name("leases")
        .key("lease_key", text(shard))
        .send()
        .await
        .expect("read")
        .item;
    let writes = item.as_ref().and_then(|item| item.get("writes"));
    writes.map_or(0, |writes| {
        writes
            .as_n()
            .expect("a number")
            .parse()
            .expect("a whole number")
    })
}

#[tokio::test]
async fn a_table_is_active_at_once_and_a_failed_condition_returns_the_old_item() {
    let (_stack, client) = with_table().await;
    let table = client
        .describe_table()
        .table_name("leases")
        .send()
        .await
        .expect("described")
        .table
        .expect("a table");
    assert_eq!(table.table_status, Some(TableStatus::Active));

    let put = |owner| {
        client
            .put_item()
            .table_name("leases")
            .item("lease_key", text("0"))
            .item("owner", text(owner))
    };
    put("one").send().await.expect("written");
    let refused = put("two")
        .condition_expression("attribute_not_exists(lease_key)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .expect_err("the condition fails")
        .into_service_error();
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(
        refused,
    ) = refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!(refused.item().expect("the old item")["owner"], text("one"));
}

#[tokio::test]
async fn a_throttle_meets_only_the_row_it_names() {
    let (stack, client) = with_table().await;
    let on = On::operation("UpdateItem").table("leases").key("shard-1");
    let rule = stack.faults().once(on.clone(), Fault::Throttle);
    count_up(&client, "shard-0")
        .send()
        .await
        .expect("another row");
    let refused = count_up(&client, "shard-1")
        .send()
        .await
        .expect_err("throttled")
        .into_service_error();
    assert!(refused.is_provisioned_throughput_exceeded_exception());
    assert_eq!((rule.hits(), stack.calls().count(&on)), (1, 1));
    assert_eq!(writes(&client, "shard-1").await, 0);

    stack.faults().once(On::any(), Fault::Throttle);
    let refused = client
        .describe_table()
        .table_name("leases")
        .send()
        .await
        .expect_err("throttled");
    assert_eq!(refused.code(), Some("ThrottlingException"));
}

#[tokio::test]
async fn a_written_item_is_selected_by_its_key_too() {
    let (stack, client) = with_table().await;
    let put = client
        .put_item()
        .table_name("leases")
        .item("lease_key", text("7"))
        .item("owner", text("one"));
    put.send().await.expect("written");
    let on = |key| On::operation("PutItem").key(key);
    assert_eq!(
        (
            stack.calls().count(&on("7")),
            stack.calls().count(&on("one"))
        ),
        (1, 0)
    );
}

#[tokio::test]
async fn an_error_leaves_the_row_as_it_says() {
    let (stack, client) = with_table().await;
    for (fault, expected) in [(Fault::ErrorBefore, 0), (Fault::ErrorAfter, 1)] {
        stack.faults().once(On::operation("UpdateItem"), fault);
        let failed = count_up(&client, "0")
            .send()
            .await
            .expect_err("a server error");
        assert_eq!(
            failed.raw_response().expect("an answer").status().as_u16(),
            500
        );
        assert!(failed.into_service_error().is_internal_server_error());
        assert_eq!(writes(&client, "0").await, expected);
    }
}

#[tokio::test]
async fn a_cut_connection_leaves_the_row_as_it_says() {
    let (stack, client) = with_table().await;
    for (fault, expected) in [(Fault::DropBefore, 0), (Fault::DropAfter, 1)] {
        stack.faults().once(On::operation("UpdateItem"), fault);
        let failed = count_up(&client, "0").send().await.expect_err("cut");
        assert!(
            matches!(failed, SdkError::DispatchFailure(_)),
            "{}",
            DisplayErrorContext(failed)
        );
        assert_eq!(writes(&client, "0").await, expected);
    }
}

#[tokio::test]
async fn a_call_without_an_answer_ends_by_the_clients_own_timeout() {
    let (stack, client) = with_table().await;
    let timeouts = TimeoutConfig::builder()
        .operation_timeout(Duration::from_millis(300))
        .build();
    let hasty = Client::from_conf(settings(&stack).timeout_config(timeouts).build());
    stack
        .faults()
        .once(On::operation("UpdateItem"), Fault::NoAnswer);
    let failed = count_up(&hasty, "0").send().await.expect_err("no answer");
    assert!(
        matches!(failed, SdkError::TimeoutError(_)),
        "{}",
        DisplayErrorContext(failed)
    );
    assert_eq!(writes(&client, "0").await, 0);
}

#[tokio::test]
async fn answers_can_be_delayed_scripted_and_rewritten() {
    let (stack, client) = with_table().await;
    stack
        .faults()
        .once(On::any(), Fault::Delay(Duration::from_millis(200)));
    let started = Instant::now();
    count_up(&client, "0").send().await.expect("served late");
    assert!(started.elapsed() >= Duration::from_millis(200));

    stack.faults().once(
        On::any(),
        Fault::error(
            400,
            "ConditionalCheckFailedException",
            "The conditional request failed",
        ),
    );
    let failed = count_up(&client, "0")
        .send()
        .await
        .expect_err("scripted")
        .into_service_error();
    assert!(failed.is_conditional_check_failed_exception());

    let ten = Fault::rewrite(|answer| answer["Item"]["writes"]["N"] = "10".into());
    stack.faults().once(On::operation("GetItem"), ten);
    assert_eq!(writes(&client, "0").await, 10);
    assert_eq!(writes(&client, "0").await, 1);
}

#[tokio::test]
async fn a_held_call_lands_once_it_is_let_go_though_its_caller_is_gone() {
    let (stack, client) = with_table().await;
    let rule = stack
        .faults()
        .once(On::operation("UpdateItem"), Fault::Hold);
    let call = count_up(&client, "0");
    let call = tokio::spawn(async move { call.send().await });
    rule.reach(1).await;
    call.abort();
    assert!(call.await.expect_err("it is given up").is_cancelled());
    assert_eq!(writes(&client, "0").await, 0);
    rule.remove();
    rule.served(1).await;
    assert_eq!(writes(&client, "0").await, 1);
}

#[tokio::test]
async fn the_date_of_an_answer_can_be_shifted_and_left_out() {
    let (stack, client) = with_table().await;
    let ahead = async || {
        let failed = client.describe_table().table_name("none").send().await;
        let failed = failed.expect_err("there is no such table");
        let headers = failed.raw_response().expect("an answer").headers();
        let date = DateTime::from_str(headers.get("date")?, DateTimeFormat::HttpDate);
        let now = DateTime::from(SystemTime::now());
        Some(date.expect("an HTTP date").secs() - now.secs())
    };
    for shift in [0, 15, -3_600] {
        stack.shift_clock(shift);
        let ahead = ahead().await.expect("a date");
        assert!((shift - 1..=shift).contains(&ahead), "{ahead}");
    }
    stack.faults().once(On::any(), Fault::NoDate);
    assert_eq!(ahead().await, None);
}

#[tokio::test]
async fn two_stacks_share_nothing_and_a_dropped_one_frees_its_port() {
    let (left, client) = with_table().await;
    let right = DynamoStack::start();
    let empty = Client::from_conf(settings(&right).build())
        .list_tables()
        .send()
        .await
        .expect("a listing");
    assert!(empty.table_names().is_empty());
    let address = left.endpoint().trim_start_matches("http://").to_owned();
    drop(left);
    client.list_tables().send().await.expect_err("no server");
    TcpListener::bind(address).expect("the port is free");
}

#[tokio::test]
async fn the_log_of_writes_shows_what_each_made_of_its_item() {
    let (stack, client) = with_table().await;
    count_up(&client, "0").send().await.expect("not logged yet");
    stack.writes().record();
    stack
        .faults()
        .once(On::operation("UpdateItem"), Fault::DropAfter);
    count_up(&client, "0").send().await.expect_err("cut");
    count_up(&client, "0")
        .condition_expression("attribute_not_exists(lease_key)")
        .send()
        .await
        .expect_err("the condition fails");
    let delete = client
        .delete_item()
        .table_name("leases")
        .key("lease_key", text("0"));
    delete.send().await.expect("deleted");

    let all = stack.writes().all();
    let taken = stack.writes().take();
    assert_eq!(taken.len(), all.len());
    assert!(stack.writes().all().is_empty());
    let seen: Vec<_> = taken
        .into_iter()
        .map(|write| {
            let count = |item: Option<serde_json::Value>| {
                item.map(|item| item["writes"]["N"].as_str().map(str::to_owned))
            };
            assert_eq!(write.key["lease_key"]["S"], "0");
            (write.applied, count(write.before), count(write.after))
        })
        .collect();
    let times = |count: &str| Some(Some(count.to_owned()));
    assert_eq!(
        seen,
        [
            (true, times("1"), times("2")),
            (false, times("2"), times("2")),
            (true, times("2"), None),
        ]
    );
    let written = client.batch_write_item().request_items("leases", vec![]);
    let refused = written.send().await.expect_err("the log follows no batch");
    assert_eq!(refused.code(), Some("ValidationException"));
}

#[tokio::test]
async fn the_log_of_writes_tells_the_time_that_the_answers_tell() {
    const AHEAD: Duration = Duration::from_secs(1_000);
    let (stack, client) = with_table().await;
    stack.writes().record();
    let before = SystemTime::now();
    stack.shift_clock(1_000);
    count_up(&client, "0").send().await.expect("counted");
    let date = stack.writes().all()[0].date;
    assert!((before + AHEAD..=SystemTime::now() + AHEAD).contains(&date));
}

#[tokio::test]
async fn a_write_is_applied_and_logged_though_its_caller_is_gone() {
    let (stack, client) = with_table().await;
    stack.writes().record();
    let late = Fault::Delay(Duration::from_millis(200));
    let met = stack.faults().once(On::operation("UpdateItem"), late);
    let call = tokio::spawn(count_up(&client, "0").send());
    met.reach(1).await;
    call.abort();
    stack.writes().reach(|write| write.applied).await;
    assert_eq!(writes(&client, "0").await, 1);
}

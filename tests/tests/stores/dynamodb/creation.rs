//! The table, and creating it.

use std::time::Duration;

use aws_sdk_dynamodb::types::{BillingMode, KeyType, TableStatus};
use futures::future::join_all;
use kinesis_stack::{Fault, On};
use ruststream_kinesis::LeaseStore;
use serde_json::json;
use tests::dynamo::{LeaseTable, TABLE};
use tests::frozen::Frozen;
use tests::live::SLACK;

use super::{LEASE, key, yes};

#[tokio::test]
async fn the_table_is_created_before_the_first_call_where_that_was_asked_for() {
    let table = LeaseTable::without_table();
    let store = table.store().create_table_if_missing();
    assert_eq!(table.stack().calls().count(&On::any()), 0);
    yes!(store.acquire(&key(), "first", LEASE));
    yes!(store.renew(&key(), "first", LEASE));

    let described = table.client().describe_table().table_name(TABLE).send();
    let described = described.await.expect("the table is described");
    let described = described.table.expect("the table is there");
    assert_eq!(described.table_status, Some(TableStatus::Active));
    let billing = described.billing_mode_summary.expect("a billing mode");
    assert_eq!(billing.billing_mode, Some(BillingMode::PayPerRequest));
    let keys = described.key_schema.expect("keys");
    assert_eq!(keys.len(), 1);
    assert_eq!(keys[0].attribute_name, "lease_key");
    assert_eq!(keys[0].key_type, KeyType::Hash);
    assert_eq!(table.count("CreateTable"), 1);
    for untouched in ["UpdateTable", "UpdateContinuousBackups"] {
        assert_eq!(table.count(untouched), 0, "{untouched}");
    }
}

#[tokio::test]
async fn a_table_that_is_there_is_left_as_it_is_and_looked_at_once() {
    let table = LeaseTable::start().await;
    let created = table.count("CreateTable");
    let store = table.store().create_table_if_missing();
    yes!(store.acquire(&key(), "first", LEASE));
    yes!(store.renew(&key(), "first", LEASE));
    assert_eq!(table.count("CreateTable"), created);
    assert_eq!(table.count("DescribeTable"), 1);
}

#[tokio::test]
async fn without_the_wish_no_call_is_made_for_the_table_itself() {
    let table = LeaseTable::without_table();
    let store = table.store();
    let missing = store.acquire(&key(), "first", LEASE).await;
    let error = missing.expect_err("there is no table").to_string();
    assert!(error.contains(TABLE), "{error}");
    assert!(error.contains("ResourceNotFound"), "{error}");
    for operation in ["CreateTable", "DescribeTable"] {
        assert_eq!(table.count(operation), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_creation_by_another_instance_at_the_same_time_is_no_error() {
    let table = LeaseTable::without_table();
    let stores: Vec<_> = (0..6)
        .map(|_| table.store().create_table_if_missing())
        .collect();
    let key = key();
    // Each of them sees that there is none.
    let missing = Fault::error(400, "ResourceNotFoundException", "no table");
    let describes = On::operation("DescribeTable");
    table.stack().faults().times(6, describes, missing);
    let got = join_all(
        stores
            .iter()
            .zip(["a", "b", "c", "d", "e", "f"])
            .map(|(store, owner)| store.acquire(&key, owner, LEASE)),
    );
    let got = got.await.into_iter().map(|got| got.expect("it answers"));
    assert_eq!(got.filter(|got| *got).count(), 1);
    assert_eq!(table.count("CreateTable"), 6);
}

#[tokio::test]
async fn a_table_that_is_being_created_is_waited_for() {
    let table = LeaseTable::start().await;
    let creating = Fault::rewrite(|answer| answer["Table"]["TableStatus"] = json!("CREATING"));
    let describes = On::operation("DescribeTable");
    let rule = table.stack().faults().times(3, describes, creating);
    let store = table.store().create_table_if_missing();
    yes!(store.acquire(&key(), "first", LEASE));
    assert_eq!(rule.hits(), 3);
}

#[tokio::test]
async fn a_table_that_is_not_active_within_a_minute_is_an_error_that_names_it_and_its_state() {
    let table = LeaseTable::start().await;
    let creating = Fault::rewrite(|answer| answer["Table"]["TableStatus"] = json!("CREATING"));
    let describes = On::operation("DescribeTable");
    table.stack().faults().always(describes, creating);
    let store = table.store().create_table_if_missing();
    let clock = Frozen::start();
    let began = tokio::time::Instant::now();
    let key = key();
    let got = clock.pass(store.acquire(&key, "first", LEASE)).await;
    let error = got.expect_err("it is still being created").to_string();
    assert!(
        error.contains(TABLE) && error.contains("CREATING"),
        "{error}"
    );
    let waited = began.elapsed();
    let minute = Duration::from_mins(1);
    let a_minute = minute..minute + Frozen::during(SLACK);
    assert!(a_minute.contains(&waited), "{waited:?}");
}

#[tokio::test]
async fn a_creation_that_fails_or_was_given_up_on_is_tried_again_by_the_next_call() {
    let table = LeaseTable::without_table();
    let store = table.store().create_table_if_missing();
    let denied = Fault::error(400, "AccessDeniedException", "not authorized");
    table
        .stack()
        .faults()
        .once(On::operation("CreateTable"), denied);
    let failed = store.acquire(&key(), "first", LEASE).await;
    let error = failed.expect_err("it is not allowed").to_string();
    assert!(
        error.contains(TABLE) && error.contains("AccessDenied"),
        "{error}"
    );

    let held = table
        .stack()
        .faults()
        .once(On::operation("CreateTable"), Fault::Hold);
    let key = key();
    tokio::select! {
        got = store.acquire(&key, "first", LEASE) => panic!("{got:?} came through"),
        () = held.reach(1) => {}
    }
    yes!(store.acquire(&key, "first", LEASE));
    held.remove();
}

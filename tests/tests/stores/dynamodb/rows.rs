//! What stands in the table.

use std::collections::BTreeSet;

use ruststream_kinesis::{LeaseStore, Member, Opening};
use tests::dynamo::{Item, LeaseTable, number, number_of, text, text_of};

use super::{LEASE, ROW, key, yes};

fn names(item: &Item) -> BTreeSet<&str> {
    item.keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_row_holds_the_documented_attributes_and_no_other() {
    let table = LeaseTable::start().await;
    let (store, key) = (table.store(), key());
    let mut opening = Opening::default();
    opening.cursor = Some("TRIM_HORIZON".to_owned());
    opening.stream_created = Some(1_700_000_000_000);
    let taken = store.take(&key, "first", LEASE, &opening).await;
    assert!(taken.expect("the store answers").is_some());
    let item = table.item(ROW).await.expect("the row is there");
    assert_eq!(text_of(&item, "lease_owner"), Some("first"));
    assert_eq!(text_of(&item, "lease_cursor"), Some("TRIM_HORIZON"));
    assert_eq!(
        number_of(&item, "lease_stream_created"),
        Some(1_700_000_000_000)
    );
    let held = [
        "lease_counter",
        "lease_cursor",
        "lease_expiry",
        "lease_key",
        "lease_owner",
        "lease_stream_created",
    ];
    assert_eq!(names(&item), BTreeSet::from(held));

    yes!(store.checkpoint(&key, "first", "7"));
    store.release(&key, "first").await.expect("it is released");
    let item = table.item(ROW).await.expect("the row is there");
    assert_eq!(text_of(&item, "checkpoint"), Some("7"));
    let free = [
        "checkpoint",
        "lease_counter",
        "lease_key",
        "lease_stream_created",
    ];
    assert_eq!(names(&item), BTreeSet::from(free));
}

#[tokio::test]
async fn every_write_bumps_the_fencing_counter() {
    let table = LeaseTable::start().await;
    let (store, key) = (table.store(), key());
    let counter = async || {
        let item = table.item(ROW).await.expect("the row is there");
        number_of(&item, "lease_counter").expect("a counter")
    };
    yes!(store.acquire(&key, "first", LEASE));
    assert_eq!(counter().await, 1);
    yes!(store.renew(&key, "first", LEASE));
    assert_eq!(counter().await, 2);
    yes!(store.checkpoint(&key, "first", "1"));
    assert_eq!(counter().await, 3);
    yes!(store.keep_cursor(&key, "first", "TRIM_HORIZON"));
    assert_eq!(counter().await, 4);
    store.release(&key, "first").await.expect("it is released");
    assert_eq!(counter().await, 5);
    let refused = store.renew(&key, "first", LEASE).await;
    assert!(!refused.expect("the store answers"));
    assert_eq!(counter().await, 5);
}

#[tokio::test]
async fn a_row_of_another_version_is_read_taken_and_written() {
    let table = LeaseTable::start().await;
    let row = [
        ("lease_owner", text("gone")),
        ("lease_expiry", number(1_700_000_000_000)),
        ("lease_counter", number(41)),
        ("checkpoint", text("7")),
    ];
    table.put(ROW, row).await;
    let (store, key) = (table.store(), key());
    let state = store.read(&key).await.expect("the store answers");
    assert_eq!(state.checkpoint.as_deref(), Some("7"));
    assert_eq!((state.owner, state.stream_created), (None, None));
    yes!(store.acquire(&key, "first", LEASE));
    yes!(store.checkpoint(&key, "first", "8"));
    let item = table.item(ROW).await.expect("the row is there");
    assert_eq!(number_of(&item, "lease_counter"), Some(43));
    assert_eq!(text_of(&item, "checkpoint"), Some("8"));
}

#[tokio::test]
async fn a_row_that_was_entered_by_hand_is_taken_with_its_checkpoint() {
    let table = LeaseTable::start().await;
    table.put(ROW, [("checkpoint", text("7"))]).await;
    let (store, key) = (table.store(), key());
    let taken = store.take(&key, "first", LEASE, &Opening::default()).await;
    let found = taken.expect("the store answers").expect("it is free");
    assert_eq!(found.checkpoint.as_deref(), Some("7"));
    yes!(store.renew(&key, "first", LEASE));
    let item = table.item(ROW).await.expect("the row is there");
    assert_eq!(text_of(&item, "checkpoint"), Some("7"));
}

#[tokio::test]
async fn a_row_that_was_deleted_is_no_longer_held() {
    let table = LeaseTable::start().await;
    let (store, key) = (table.store(), key());
    yes!(store.acquire(&key, "first", LEASE));
    table.delete(ROW).await;
    let renewed = store.renew(&key, "first", LEASE).await;
    assert!(!renewed.expect("the store answers"));
    assert_eq!(table.item(ROW).await, None);
    yes!(store.acquire(&key, "first", LEASE));
}

#[tokio::test]
async fn a_row_that_is_none_of_the_stores_is_an_error_that_names_it() {
    let table = LeaseTable::start().await;
    table.put(ROW, [("lease_counter", text("seven"))]).await;
    let store = table.store();
    let errors = [
        store.read(&key()).await.err(),
        store.acquire(&key(), "first", LEASE).await.err(),
        store
            .survey("orders", &["shardId-000000000000"])
            .await
            .err(),
    ];
    for error in errors {
        let error = error.expect("the counter is no number").to_string();
        for part in ["orders-leases", ROW, "lease_counter"] {
            assert!(error.contains(part), "{error}");
        }
    }
}

#[tokio::test]
async fn a_call_in_memory_of_the_lease_is_one_write() {
    let table = LeaseTable::start().await;
    let (store, key) = (table.store(), key());
    yes!(store.acquire(&key, "first", LEASE));
    let before = table.stack().calls().count(&kinesis_stack::On::any());
    yes!(store.renew(&key, "first", LEASE));
    yes!(store.checkpoint(&key, "first", "1"));
    yes!(store.keep_cursor(&key, "first", "TRIM_HORIZON"));
    store.release(&key, "first").await.expect("it is released");
    let calls = table.stack().calls().count(&kinesis_stack::On::any());
    assert_eq!(calls - before, 4);
}

#[tokio::test]
async fn the_instances_of_a_stream_stand_in_one_row_that_is_no_shards() {
    let table = LeaseTable::start().await;
    let store = table.store();
    for owner in ["a/1", "b/2"] {
        let member = Member::new(owner, Some(3));
        let told = store.announce("orders", &member, LEASE).await;
        told.expect("the store answers");
    }
    let item = table
        .item("orders:members")
        .await
        .expect("the row is there");
    assert_eq!(
        names(&item),
        BTreeSet::from(["lease_key", "member/a/1", "member/b/2"])
    );
    let member = item["member/a/1"].as_m().expect("a map");
    assert_eq!(number_of(member, "max_leases"), Some(3));
    assert!(number_of(member, "expiry").is_some());
    store.depart("orders", "a/1").await.expect("it departs");
    let item = table
        .item("orders:members")
        .await
        .expect("the row is there");
    assert_eq!(names(&item), BTreeSet::from(["lease_key", "member/b/2"]));
}

#[tokio::test]
async fn instances_that_are_long_gone_leave_no_trace() {
    let table = LeaseTable::start().await;
    let store = table.store();
    for owner in ["a", "b", "c"] {
        let member = Member::new(owner, None);
        let told = store.announce("orders", &member, LEASE).await;
        told.expect("the store answers");
    }
    table.stack().shift_clock(900);
    store.read(&key()).await.expect("the store answers");
    let told = store
        .announce("orders", &Member::new("d", None), LEASE)
        .await;
    assert_eq!(told.expect("the store answers"), [Member::new("d", None)]);
    let item = table
        .item("orders:members")
        .await
        .expect("the row is there");
    assert_eq!(item.len(), 5);

    table.stack().shift_clock(3_600);
    store.read(&key()).await.expect("the store answers");
    let told = store
        .announce("orders", &Member::new("e", None), LEASE)
        .await;
    assert_eq!(told.expect("the store answers"), [Member::new("e", None)]);
    let item = table
        .item("orders:members")
        .await
        .expect("the row is there");
    assert_eq!(names(&item), BTreeSet::from(["lease_key", "member/e"]));
}

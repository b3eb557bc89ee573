//! Many rows at once.

use kinesis_stack::{Fault, On};
use ruststream_kinesis::{LeaseKey, LeaseState, LeaseStore, Member, Opening};
use serde_json::json;
use tests::dynamo::LeaseTable;

use super::{LEASE, yes};

fn shards(count: usize) -> Vec<String> {
    (0..count)
        .map(|shard| format!("shardId-{shard:012}"))
        .collect()
}

fn texts(shards: &[String]) -> Vec<&str> {
    shards.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn a_thousand_fresh_shards_cost_twenty_batches_and_taking_one_costs_one_write() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let shards = shards(1_000);
    let survey = store.survey("orders", &texts(&shards)).await;
    let survey = survey.expect("the store answers").expect("it shows");
    assert_eq!(survey.states, vec![LeaseState::default(); 1_000]);
    assert!(table.count("BatchGetItem") <= 20);
    assert!(table.count("GetItem") <= 1);

    let reads = table.count("GetItem") + table.count("BatchGetItem");
    for shard in &shards[..5] {
        let key = LeaseKey::new("orders", shard);
        let taken = store.take(&key, "first", LEASE, &Opening::default()).await;
        assert!(taken.expect("the store answers").is_some());
    }
    let reads_then = table.count("GetItem") + table.count("BatchGetItem");
    assert_eq!((reads_then, table.count("UpdateItem")), (reads, 5));
}

#[tokio::test]
async fn one_shard_is_looked_at_without_a_batch() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let shard = &shards(1)[0];
    let key = LeaseKey::new("orders", shard);
    yes!(store.acquire(&key, "first", LEASE));
    let me = Member::new("first", None);
    let told = store.announce("orders", &me, LEASE).await;
    told.expect("the store answers");
    let survey = table.store().survey("orders", &[shard]).await;
    let survey = survey.expect("the store answers").expect("it shows");
    assert_eq!(survey.states[0].owner.as_deref(), Some("first"));
    assert_eq!(survey.members, [me]);
    assert_eq!(table.count("BatchGetItem"), 0);
}

#[tokio::test]
async fn shards_with_progress_are_looked_at_once_each_and_the_members_fit_in() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let shards = shards(150);
    for shard in &shards {
        let key = LeaseKey::new("orders", shard);
        yes!(store.acquire(&key, "first", LEASE));
        yes!(store.checkpoint(&key, "first", shard));
    }
    let me = Member::new("first", None);
    let told = store.announce("orders", &me, LEASE).await;
    told.expect("the store answers");
    let other = table.store();
    let before = (table.count("GetItem"), table.count("BatchGetItem"));
    let survey = other.survey("orders", &texts(&shards)).await;
    let survey = survey.expect("the store answers").expect("it shows");
    for (shard, state) in shards.iter().zip(&survey.states) {
        assert_eq!(state.checkpoint.as_ref(), Some(shard));
        assert_eq!(state.owner.as_deref(), Some("first"));
    }
    assert_eq!(survey.members, [me]);
    let after = (table.count("GetItem"), table.count("BatchGetItem"));
    assert_eq!((after.0 - before.0, after.1 - before.1), (0, 2));
}

#[tokio::test]
async fn a_shard_without_progress_costs_a_second_look_only_at_first() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let shards = shards(10);
    for batches in [2, 3, 4] {
        let survey = store.survey("orders", &texts(&shards)).await;
        survey.expect("the store answers");
        assert_eq!(table.count("BatchGetItem"), batches);
    }
}

#[tokio::test]
async fn keys_that_a_batch_leaves_unprocessed_are_asked_for_again() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let shards = shards(20);
    for shard in &shards {
        let key = LeaseKey::new("orders", shard);
        yes!(store.acquire(&key, "first", LEASE));
        yes!(store.checkpoint(&key, "first", shard));
    }
    let half = Fault::rewrite(|answer| {
        let items = answer["Responses"]["orders-leases"].as_array_mut();
        let items = items.expect("rows");
        let left = items.split_off(items.len() / 2);
        let keys = left
            .iter()
            .map(|item| json!({ "lease_key": item["lease_key"] }));
        let keys: Vec<_> = keys.collect();
        answer["UnprocessedKeys"]["orders-leases"] = json!({ "Keys": keys });
    });
    let batches = On::operation("BatchGetItem");
    let rule = table.stack().faults().times(3, batches, half);
    let survey = table.store().survey("orders", &texts(&shards)).await;
    let survey = survey.expect("the store answers").expect("it shows");
    assert_eq!(rule.hits(), 3);
    for (shard, state) in shards.iter().zip(&survey.states) {
        assert_eq!(state.checkpoint.as_ref(), Some(shard));
    }
}

#[tokio::test]
async fn a_batch_that_never_gets_further_is_an_error_that_names_the_table_and_a_row() {
    let table = LeaseTable::start().await;
    let nothing = Fault::rewrite(|answer| {
        answer["Responses"] = json!({});
        let key = json!({ "lease_key": { "S": "orders:shardId-000000000000" } });
        answer["UnprocessedKeys"]["orders-leases"] = json!({ "Keys": [key] });
    });
    let batches = On::operation("BatchGetItem");
    let rule = table.stack().faults().always(batches, nothing);
    let shards = shards(2);
    let failed = table.store().survey("orders", &texts(&shards)).await;
    let error = failed.expect_err("nothing is processed").to_string();
    assert!(error.contains("orders-leases"), "{error}");
    assert!(error.contains("orders:shardId-000000000000"), "{error}");
    assert!(rule.hits() <= 8);
}

#[tokio::test]
async fn a_shard_that_is_named_twice_is_shown_twice() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let key = LeaseKey::new("orders", "shardId-000000000000");
    yes!(store.acquire(&key, "first", LEASE));
    yes!(store.checkpoint(&key, "first", "1"));
    let twice = ["shardId-000000000000", "shardId-000000000000"];
    let survey = store.survey("orders", &twice).await;
    let survey = survey.expect("the store answers").expect("it shows");
    let seen = survey
        .states
        .iter()
        .map(|state| state.checkpoint.as_deref());
    assert!(seen.eq([Some("1"), Some("1")]));
}

#[tokio::test]
async fn a_shard_that_changed_since_the_survey_is_taken_as_it_is_now() {
    let table = LeaseTable::start().await;
    let (store, other) = (table.store(), table.store());
    let shard = "shardId-000000000000";
    let key = LeaseKey::new("orders", shard);
    let opening = Opening::default();
    let survey = store.survey("orders", &[shard]).await;
    survey.expect("the store answers");
    yes!(other.acquire(&key, "second", LEASE));
    let taken = store.take(&key, "first", LEASE, &opening).await;
    assert_eq!(taken.expect("the store answers"), None);

    let survey = store.survey("orders", &[shard]).await;
    survey.expect("the store answers");
    yes!(other.checkpoint(&key, "second", "5"));
    other.release(&key, "second").await.expect("it is released");
    let taken = store.take(&key, "first", LEASE, &opening).await;
    let found = taken.expect("the store answers").expect("it is free");
    assert_eq!(found, LeaseState::default().with_checkpoint("5"));
}

//! Upgrading a table that an earlier version wrote, whose rows are keyed by the shard's id alone.

use kinesis_stack::On;
use ruststream_kinesis::{LeaseKey, LeaseStore, Opening, SHARD_END};
use tests::dynamo::{LeaseTable, number, number_of, text, text_of};

use super::{LEASE, ROW, SHARD, key, yes};

const SECOND: &str = "shardId-000000000001";

/// A table with a bare row for the shard that holds that checkpoint.
async fn with_bare(checkpoint: &str) -> LeaseTable {
    let table = LeaseTable::start().await;
    put_bare(&table, SHARD, checkpoint).await;
    table
}

async fn put_bare(table: &LeaseTable, shard: &str, checkpoint: &str) {
    let row = [
        ("lease_owner", text("gone")),
        ("lease_expiry", number(1_700_000_000_000)),
        ("lease_counter", number(41)),
        ("checkpoint", text(checkpoint)),
    ];
    table.put(shard, row).await;
}

async fn checkpoint(table: &LeaseTable, row: &str) -> Option<String> {
    let item = table.item(row).await?;
    text_of(&item, "checkpoint").map(str::to_owned)
}

#[tokio::test]
async fn a_shard_of_the_named_stream_resumes_from_its_bare_row_and_the_first_read_copies_it() {
    let table = with_bare("7").await;
    let store = table.store().legacy_stream("orders");
    let state = store.read(&key()).await.expect("the store answers");
    assert_eq!(state.checkpoint.as_deref(), Some("7"));
    assert_eq!(checkpoint(&table, ROW).await.as_deref(), Some("7"));
    let item = table.item(ROW).await.expect("the row is there");
    assert_eq!(number_of(&item, "lease_counter"), Some(1));

    yes!(store.acquire(&key(), "first", LEASE));
    yes!(store.checkpoint(&key(), "first", "8"));
    let state = table.store().legacy_stream("orders").read(&key()).await;
    let state = state.expect("the store answers");
    assert_eq!(state.checkpoint.as_deref(), Some("8"));
    assert_eq!(checkpoint(&table, SHARD).await.as_deref(), Some("7"));
}

#[tokio::test]
async fn a_shard_of_the_named_stream_is_taken_with_the_checkpoint_of_its_bare_row() {
    let table = with_bare("7").await;
    let store = table.store().legacy_stream("orders");
    let mut opening = Opening::default();
    opening.cursor = Some("TRIM_HORIZON".to_owned());
    let taken = store.take(&key(), "first", LEASE, &opening).await;
    let found = taken.expect("the store answers").expect("it is free");
    assert_eq!(found.checkpoint.as_deref(), Some("7"));
    let state = store.read(&key()).await.expect("the store answers");
    assert_eq!(state.checkpoint.as_deref(), Some("7"));
    assert_eq!(state.cursor, None);
    assert_eq!(state.owner.as_deref(), Some("first"));
    assert_eq!(table.count("UpdateItem"), 1);
}

#[tokio::test]
async fn a_survey_of_the_named_stream_copies_what_finished_shards_left() {
    let table = with_bare("7").await;
    put_bare(&table, SECOND, SHARD_END).await;
    let store = table.store().legacy_stream("orders");
    let survey = store.survey("orders", &[SHARD, SECOND, "shardId-000000000002"]);
    let survey = survey.await.expect("the store answers").expect("it shows");
    let seen = survey
        .states
        .iter()
        .map(|state| state.checkpoint.as_deref());
    assert!(seen.eq([Some("7"), Some(SHARD_END), None]));
    assert_eq!(checkpoint(&table, ROW).await.as_deref(), Some("7"));

    // Each bare row has its copy: they can be deleted, and the call dropped.
    table.delete(SHARD).await;
    table.delete(SECOND).await;
    let store = table.store();
    let survey = store.survey("orders", &[SHARD, SECOND]).await;
    let survey = survey.expect("the store answers").expect("it shows");
    let seen = survey
        .states
        .iter()
        .map(|state| state.checkpoint.as_deref());
    assert!(seen.eq([Some("7"), Some(SHARD_END)]));
}

#[tokio::test]
async fn other_streams_ignore_the_bare_rows() {
    let table = with_bare("7").await;
    let store = table.store().legacy_stream("orders");
    let key = LeaseKey::new("receipts", SHARD);
    let state = store.read(&key).await.expect("the store answers");
    assert_eq!(state.checkpoint, None);
    let survey = store.survey("receipts", &[SHARD]).await;
    let survey = survey.expect("the store answers").expect("it shows");
    assert_eq!(survey.states[0].checkpoint, None);
    let taken = store.take(&key, "first", LEASE, &Opening::default()).await;
    let found = taken.expect("the store answers").expect("it is free");
    assert_eq!(found.checkpoint, None);
    yes!(store.checkpoint(&key, "first", "1"));
    assert_eq!(checkpoint(&table, ROW).await, None);
    let bare = On::any().key(SHARD);
    assert_eq!(
        table.stack().calls().count(&bare),
        1,
        "the one that wrote it"
    );
}

#[tokio::test]
async fn with_no_stream_named_a_shard_whose_bare_row_holds_a_checkpoint_is_refused() {
    let table = with_bare("7").await;
    let store = table.store();
    let opening = Opening::default();
    for _ in 0..2 {
        let errors = [
            store.read(&key()).await.err(),
            store.take(&key(), "first", LEASE, &opening).await.err(),
        ];
        for error in errors {
            let error = error.expect("the row names no stream").to_string();
            for part in ["orders-leases", SHARD, "`orders`", "legacy_stream"] {
                assert!(error.contains(part), "{error}");
            }
        }
    }
    assert_eq!(table.item(ROW).await, None);

    // Until the operator deletes the row.
    table.delete(SHARD).await;
    let taken = store.take(&key(), "first", LEASE, &opening).await;
    assert!(taken.expect("the store answers").is_some());
    yes!(store.checkpoint(&key(), "first", "1"));
}

#[tokio::test]
async fn a_refused_shard_does_not_spoil_the_survey_and_is_refused_when_it_is_taken() {
    let table = with_bare("7").await;
    let store = table.store();
    let second = LeaseKey::new("orders", SECOND);
    yes!(store.acquire(&second, "first", LEASE));
    yes!(store.checkpoint(&second, "first", "3"));
    let survey = store.survey("orders", &[SHARD, SECOND]).await;
    let survey = survey.expect("the store answers").expect("it shows");
    assert_eq!(survey.states[0].checkpoint, None);
    assert_eq!(survey.states[1].checkpoint.as_deref(), Some("3"));
    let taken = store
        .take(&key(), "first", LEASE, &Opening::default())
        .await;
    let error = taken.expect_err("the row names no stream").to_string();
    assert!(error.contains(SHARD), "{error}");
    assert_eq!(table.item(ROW).await, None);
}

#[tokio::test]
async fn a_bare_row_without_a_checkpoint_refuses_nothing() {
    let table = LeaseTable::start().await;
    table.put(SHARD, [("lease_owner", text("gone"))]).await;
    let store = table.store();
    let state = store.read(&key()).await.expect("the store answers");
    assert_eq!(state.checkpoint, None);
    yes!(store.acquire(&key(), "first", LEASE));
}

#[tokio::test]
async fn a_shard_with_a_checkpoint_of_its_own_needs_no_bare_row() {
    let table = LeaseTable::start().await;
    let store = table.store();
    yes!(store.acquire(&key(), "first", LEASE));
    yes!(store.checkpoint(&key(), "first", "9"));
    put_bare(&table, SHARD, "7").await;
    for store in [table.store(), table.store().legacy_stream("orders")] {
        let state = store.read(&key()).await.expect("the store answers");
        assert_eq!(state.checkpoint.as_deref(), Some("9"));
        let survey = store.survey("orders", &[SHARD]).await;
        let survey = survey.expect("the store answers").expect("it shows");
        assert_eq!(survey.states[0].checkpoint.as_deref(), Some("9"));
    }
}

#[tokio::test]
async fn a_copy_beside_a_live_lease_fences_nobody() {
    let table = with_bare("7").await;
    let (holder, reader) = (
        table.store().legacy_stream("orders"),
        table.store().legacy_stream("orders"),
    );
    yes!(holder.acquire(&key(), "first", LEASE));
    let state = reader.read(&key()).await.expect("the store answers");
    assert_eq!(state.checkpoint.as_deref(), Some("7"));
    assert_eq!(state.owner.as_deref(), Some("first"));
    yes!(holder.renew(&key(), "first", LEASE));
    yes!(holder.checkpoint(&key(), "first", "8"));
}

#[tokio::test]
async fn instances_that_copy_at_once_copy_it_once() {
    let table = with_bare("7").await;
    let stores: Vec<_> = (0..6)
        .map(|_| table.store().legacy_stream("orders"))
        .collect();
    let key = key();
    let reads = stores.iter().map(|store| store.read(&key));
    for state in futures::future::join_all(reads).await {
        let state = state.expect("the store answers");
        assert_eq!(state.checkpoint.as_deref(), Some("7"));
    }
    let item = table.item(ROW).await.expect("the row is there");
    assert_eq!(number_of(&item, "lease_counter"), Some(1));
}

//! Writes that somebody gave up on, and that land all the same.

use std::time::Duration;

use kinesis_stack::{Fault, On, Rule};
use ruststream_kinesis::{DynamoLeaseStore, LeaseError, LeaseStore, Member, Opening};
use tests::dynamo::{LeaseTable, number_of, text_of};
use tests::live::within;

use super::{LEASE, ROW, key, yes};

/// Holds the next write in the network, and drops its caller once it is on its way.
async fn give_up<T: std::fmt::Debug>(
    table: &LeaseTable,
    call: impl Future<Output = Result<T, LeaseError>>,
) -> Rule {
    let updates = On::operation("UpdateItem");
    let held = table.stack().faults().once(updates, Fault::Hold);
    tokio::select! {
        answer = call => panic!("{answer:?} came through"),
        () = within(held.reach(1)) => {}
    }
    held
}

/// Lets that write go, and waits until the table has dealt with it.
async fn land(held: &Rule) {
    held.remove();
    within(held.served(1)).await;
}

async fn started() -> (LeaseTable, DynamoLeaseStore) {
    let table = LeaseTable::start().await;
    let store = table.store();
    yes!(store.acquire(&key(), "first", LEASE));
    (table, store)
}

async fn checkpoint(table: &LeaseTable) -> Option<String> {
    let item = table.item(ROW).await.expect("the row is there");
    text_of(&item, "checkpoint").map(str::to_owned)
}

#[tokio::test]
async fn a_checkpoint_that_was_given_up_on_never_lands_after_a_later_one() {
    let (table, store) = started().await;
    let held = give_up(&table, store.checkpoint(&key(), "first", "1")).await;
    yes!(store.checkpoint(&key(), "first", "3"));
    land(&held).await;
    assert_eq!(checkpoint(&table).await.as_deref(), Some("3"));
    yes!(store.checkpoint(&key(), "first", "4"));
}

#[tokio::test]
async fn a_checkpoint_that_was_given_up_on_never_lands_after_a_renewal_or_a_cursor() {
    let (table, store) = started().await;
    yes!(store.checkpoint(&key(), "first", "1"));
    let held = give_up(&table, store.checkpoint(&key(), "first", "2")).await;
    yes!(store.renew(&key(), "first", LEASE));
    land(&held).await;
    assert_eq!(checkpoint(&table).await.as_deref(), Some("1"));

    let held = give_up(&table, store.checkpoint(&key(), "first", "2")).await;
    yes!(store.keep_cursor(&key(), "first", "TRIM_HORIZON"));
    land(&held).await;
    let state = store.read(&key()).await.expect("the store answers");
    assert_eq!(state.cursor.as_deref(), Some("TRIM_HORIZON"));
}

#[tokio::test]
async fn a_write_that_was_given_up_on_and_lands_first_is_found_by_the_next_one() {
    let (table, store) = started().await;
    let held = give_up(&table, store.checkpoint(&key(), "first", "1")).await;
    land(&held).await;
    assert_eq!(checkpoint(&table).await.as_deref(), Some("1"));
    yes!(store.checkpoint(&key(), "first", "2"));
    assert_eq!(checkpoint(&table).await.as_deref(), Some("2"));
}

#[tokio::test]
async fn a_renewal_that_was_given_up_on_never_brings_back_a_released_lease() {
    let (table, store) = started().await;
    let held = give_up(&table, store.renew(&key(), "first", LEASE)).await;
    store
        .release(&key(), "first")
        .await
        .expect("it is released");
    let other = table.store();
    yes!(other.acquire(&key(), "second", LEASE));
    let before = table.item(ROW).await;
    land(&held).await;
    assert_eq!(table.item(ROW).await, before);
    yes!(other.renew(&key(), "second", LEASE));
}

#[tokio::test]
async fn a_release_that_was_given_up_on_never_frees_what_was_taken_again() {
    let (table, store) = started().await;
    let held = give_up(&table, store.release(&key(), "first")).await;
    yes!(store.acquire(&key(), "first", LEASE));
    land(&held).await;
    let other = table.store();
    let got = other.acquire(&key(), "second", LEASE).await;
    assert!(!got.expect("the store answers"));
    yes!(store.renew(&key(), "first", LEASE));
}

#[tokio::test]
async fn a_take_that_was_given_up_on_is_found_by_the_next_one() {
    let table = LeaseTable::start().await;
    let (store, key) = (table.store(), key());
    let mut opening = Opening::default();
    opening.cursor = Some("TRIM_HORIZON".to_owned());
    let held = give_up(&table, store.take(&key, "first", LEASE, &opening)).await;
    land(&held).await;
    let taken = store.take(&key, "first", LEASE, &opening).await;
    let found = taken.expect("the store answers").expect("it is its own");
    assert_eq!(found.owner.as_deref(), Some("first"));
    assert_eq!(found.cursor.as_deref(), Some("TRIM_HORIZON"));
    yes!(store.renew(&key, "first", LEASE));
}

#[tokio::test]
async fn an_attempt_that_lands_after_the_one_that_followed_it_changes_nothing() {
    let (table, store) = started().await;
    let updates = On::operation("UpdateItem");
    let held = table.stack().faults().once(updates, Fault::Hold);
    // The first attempt runs out of time, the second is answered.
    yes!(store.checkpoint(&key(), "first", "1"));
    assert_eq!(held.hits(), 1);
    yes!(store.checkpoint(&key(), "first", "2"));
    let before = table.item(ROW).await;
    land(&held).await;
    assert_eq!(table.item(ROW).await, before);
}

#[tokio::test]
async fn an_announcement_that_was_given_up_on_never_lands_after_a_later_one() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let (few, many) = ([Member::new("a", Some(1))], [Member::new("a", Some(9))]);
    let told = store.announce("orders", &few[0], LEASE).await;
    assert_eq!(told.expect("the store answers"), few);
    let held = give_up(&table, store.announce("orders", &few[0], LEASE)).await;
    let told = store.announce("orders", &many[0], LEASE).await;
    assert_eq!(told.expect("the store answers"), many);
    land(&held).await;
    let survey = store
        .survey("orders", &[])
        .await
        .expect("the store answers");
    assert_eq!(survey.expect("it shows them").members, many);
}

#[tokio::test]
async fn every_call_may_be_dropped_at_any_of_its_steps() {
    let (table, store) = started().await;
    let other = table.store();
    for step in 0..60_u32 {
        let owner = if step % 2 == 0 { "first" } else { "second" };
        let using = if step % 2 == 0 { &store } else { &other };
        let sequence = step.to_string();
        let calls = async {
            let _ = using.acquire(&key(), owner, LEASE).await;
            let _ = using.checkpoint(&key(), owner, &sequence).await;
            let _ = using.renew(&key(), owner, LEASE).await;
            let _ = using.release(&key(), owner).await;
        };
        // Whatever was reached by then is where the calls end.
        let _ = tokio::time::timeout(Duration::from_micros(200) * step, calls).await;
        let _ = using.release(&key(), owner).await;
    }
    let item = table.item(ROW).await.expect("the row is there");
    let before = number_of(&item, "lease_counter").expect("a counter");
    store.release(&key(), "first").await.expect("released");
    other.release(&key(), "second").await.expect("released");
    yes!(store.acquire(&key(), "third", LEASE));
    yes!(store.checkpoint(&key(), "third", "60"));
    let item = table.item(ROW).await.expect("the row is there");
    assert!(number_of(&item, "lease_counter").expect("a counter") >= before + 2);
    assert_eq!(text_of(&item, "checkpoint"), Some("60"));
}

#[tokio::test]
async fn an_announcement_that_was_given_up_on_never_brings_back_who_departed() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let member = Member::new("a", None);
    let told = store.announce("orders", &member, LEASE).await;
    told.expect("the store answers");
    let held = give_up(&table, store.announce("orders", &member, LEASE)).await;
    store.depart("orders", "a").await.expect("it departs");
    land(&held).await;
    let survey = store
        .survey("orders", &[])
        .await
        .expect("the store answers");
    assert_eq!(survey.expect("it shows them").members, []);
}

#[tokio::test]
async fn an_announcement_whose_reply_was_lost_is_a_success() {
    let table = LeaseTable::start().await;
    let store = table.store();
    for fault in [Fault::ErrorAfter, Fault::DropAfter] {
        let updates = On::operation("UpdateItem").key("orders:members");
        let rule = table.stack().faults().once(updates, fault);
        let member = Member::new("a", None);
        let told = store.announce("orders", &member, LEASE).await;
        assert_eq!(told.expect("the store answers"), [member]);
        assert_eq!(rule.hits(), 1);
    }
}

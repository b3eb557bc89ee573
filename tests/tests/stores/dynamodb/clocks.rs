//! By whose clock a lease is over.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kinesis_stack::{Fault, On};
use ruststream_kinesis::{LeaseStore, Member, Opening};
use tests::dynamo::{LeaseTable, number_of};
use tests::live::SLACK;

use super::{ROW, key, yes};

const LEASE: Duration = Duration::from_secs(10);

fn wall_millis() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = now.expect("the clock is past 1970").as_millis();
    i64::try_from(millis).expect("a few centuries")
}

#[tokio::test]
async fn no_live_lease_changes_hands_though_the_clocks_are_fifteen_seconds_apart() {
    for shift in [-15, 0, 15] {
        let table = LeaseTable::start().await;
        table.stack().shift_clock(shift);
        let (first, second) = (table.store(), table.store());
        let before = wall_millis();
        yes!(first.acquire(&key(), "first", LEASE));
        let took = wall_millis() - before;
        let item = table.item(ROW).await.expect("the row is there");
        let expiry = number_of(&item, "lease_expiry").expect("an expiry");
        let expiry = i64::try_from(expiry).expect("a few centuries");
        // By the clock of the service, which tells whole seconds.
        let ends = before + 1_000 * (shift + 10);
        assert!(
            (ends..=ends + took + 1_100).contains(&expiry),
            "{expiry} {ends}"
        );
        for _ in 0..3 {
            let got = second.acquire(&key(), "second", LEASE).await;
            assert!(!got.expect("the store answers"));
            let opening = Opening::default();
            let got = second.take(&key(), "second", LEASE, &opening).await;
            assert_eq!(got.expect("the store answers"), None);
            yes!(first.renew(&key(), "first", LEASE));
        }
    }
}

#[tokio::test]
async fn an_expired_lease_is_taken_within_two_seconds_of_its_end_and_never_before() {
    let lasts = Duration::from_secs(2);
    let table = LeaseTable::start().await;
    let (first, second) = (table.store(), table.store());
    let asked = Instant::now();
    yes!(first.acquire(&key(), "first", lasts));
    let answered = Instant::now();
    loop {
        let took = second.acquire(&key(), "second", lasts).await;
        if took.expect("the store answers") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(asked.elapsed() >= lasts, "{:?}", asked.elapsed());
    let waited = answered.elapsed();
    assert!(
        waited <= lasts + Duration::from_secs(2) + SLACK,
        "{waited:?}"
    );
}

#[tokio::test]
async fn a_renewed_lease_stays_though_another_asks_for_it_all_the_time() {
    let lasts = Duration::from_secs(2);
    let table = LeaseTable::start().await;
    let (first, second) = (table.store(), table.store());
    yes!(first.acquire(&key(), "first", lasts));
    let began = Instant::now();
    let mut renewed = began;
    while began.elapsed() < 2 * lasts {
        let got = second.acquire(&key(), "second", lasts).await;
        let got = got.expect("the store answers");
        // On a machine that stood still for that long the lease is over.
        assert!(!got || renewed.elapsed() >= lasts);
        if renewed.elapsed() >= lasts / 4 {
            renewed = Instant::now();
            yes!(first.renew(&key(), "first", lasts));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn an_answer_without_a_date_is_an_error_that_says_so() {
    let table = LeaseTable::start().await;
    let store = table.store();
    let undated = table.stack().faults().always(On::any(), Fault::NoDate);
    let member = Member::new("first", None);
    let errors = [
        store.acquire(&key(), "first", LEASE).await.err(),
        store.read(&key()).await.err(),
        store
            .survey("orders", &["shardId-000000000000"])
            .await
            .err(),
        store.announce("orders", &member, LEASE).await.err(),
    ];
    for error in errors {
        let error = error.expect("there is no clock to go by").to_string();
        assert!(error.contains("date"), "{error}");
        assert!(error.contains("orders-leases"), "{error}");
    }
    undated.remove();
    yes!(store.acquire(&key(), "first", LEASE));
}

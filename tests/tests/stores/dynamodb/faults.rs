//! What goes wrong between the store and the table.

use std::time::{Duration, Instant};

use futures::future::join;
use kinesis_stack::{Fault, On};
use ruststream_kinesis::{DynamoLeaseStore, LeaseError, LeaseStore, Opening};
use tests::dynamo::{LeaseTable, number_of, text_of};
use tests::live::SLACK;

use super::{LEASE, ROW, key, yes};

const WRITES: [&str; 6] = [
    "acquire",
    "renew",
    "checkpoint",
    "keep_cursor",
    "take",
    "release",
];

/// Makes that call as `owner`; whether it was not refused.
async fn write(store: &DynamoLeaseStore, owner: &str, call: &str) -> Result<bool, LeaseError> {
    let (key, opening) = (key(), Opening::default());
    match call {
        "acquire" => store.acquire(&key, owner, LEASE).await,
        "renew" => store.renew(&key, owner, LEASE).await,
        "checkpoint" => store.checkpoint(&key, owner, "1").await,
        "keep_cursor" => store.keep_cursor(&key, owner, "TRIM_HORIZON").await,
        "take" => {
            let taken = store.take(&key, owner, LEASE, &opening).await?;
            Ok(taken.is_some())
        }
        "release" => store.release(&key, owner).await.map(|()| true),
        _ => panic!("{call} is no call"),
    }
}

fn updates() -> On {
    On::operation("UpdateItem").key(ROW)
}

async fn counter(table: &LeaseTable) -> u64 {
    let item = table.item(ROW).await.unwrap_or_default();
    number_of(&item, "lease_counter").unwrap_or_default()
}

#[tokio::test]
async fn a_write_that_is_applied_and_answered_with_a_500_or_a_cut_socket_is_a_success() {
    for fault in [Fault::ErrorAfter, Fault::DropAfter] {
        let table = LeaseTable::start().await;
        let store = table.store();
        for (written, call) in (1..).zip(WRITES) {
            let rule = table.stack().faults().once(updates(), fault.clone());
            yes!(write(&store, "first", call));
            assert_eq!(rule.hits(), 1, "{call}");
            // The second attempt found what the first had written.
            assert_eq!(counter(&table).await, written, "{call}");
        }
    }
}

#[tokio::test]
async fn a_write_that_fails_unapplied_changes_nothing_and_the_next_one_is_stored() {
    for fault in [Fault::ErrorBefore, Fault::DropBefore, Fault::Throttle] {
        let table = LeaseTable::start().await;
        let store = table.store();
        for call in WRITES {
            let before = table.item(ROW).await;
            let rule = table.stack().faults().always(updates(), fault.clone());
            let failed = write(&store, "first", call).await;
            let error = failed.expect_err("every attempt fails").to_string();
            for part in ["orders-leases", ROW, "UpdateItem"] {
                assert!(error.contains(part), "{error}");
            }
            rule.remove();
            assert_eq!(table.item(ROW).await, before, "{call}");
            yes!(write(&store, "first", call));
        }
    }
}

#[tokio::test]
async fn a_write_that_is_applied_and_never_answered_is_learned_by_the_next_one() {
    let table = LeaseTable::start().await;
    let store = table.store();
    for call in WRITES {
        let rule = table.stack().faults().always(updates(), Fault::ErrorAfter);
        let failed = write(&store, "first", call).await;
        failed.expect_err("no attempt is answered");
        rule.remove();
        yes!(write(&store, "first", call));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkpoints_and_renewals_under_way_at_once_never_fence_each_other() {
    const CHECKPOINTS: usize = 150;
    let table = LeaseTable::start().await;
    let (store, key) = (table.store(), key());
    yes!(store.acquire(&key, "first", LEASE));
    let (stop, mut stopped) = tokio::sync::watch::channel(false);
    let renewals = async {
        let mut renewals = 0;
        let mut tick = tokio::time::interval(Duration::from_millis(1));
        while !*stopped.borrow_and_update() {
            yes!(store.renew(&key, "first", LEASE));
            renewals += 1;
            tick.tick().await;
        }
        renewals
    };
    let checkpoints = async {
        for sequence in 1..=CHECKPOINTS {
            yes!(store.checkpoint(&key, "first", &sequence.to_string()));
        }
        stop.send_replace(true);
    };
    let (renewals, ()) = join(renewals, checkpoints).await;
    assert!(renewals > CHECKPOINTS / 10, "{renewals}");
    let item = table.item(ROW).await.expect("the row is there");
    assert_eq!(
        text_of(&item, "checkpoint"),
        Some(&*CHECKPOINTS.to_string())
    );
    let writes = u64::try_from(renewals + CHECKPOINTS + 1).expect("a few");
    assert_eq!(number_of(&item, "lease_counter"), Some(writes));
}

#[tokio::test]
async fn one_throttled_renewal_is_no_failure() {
    let table = LeaseTable::start().await;
    let store = table.store();
    yes!(store.acquire(&key(), "first", LEASE));
    let rule = table.stack().faults().once(updates(), Fault::Throttle);
    yes!(store.renew(&key(), "first", LEASE));
    assert_eq!(rule.hits(), 1);
}

#[tokio::test]
async fn a_throttled_table_costs_five_calls_a_write_and_loses_nothing() {
    let table = LeaseTable::start().await;
    let store = table.store();
    yes!(store.acquire(&key(), "first", LEASE));
    yes!(store.checkpoint(&key(), "first", "1"));
    let rule = table.stack().faults().always(updates(), Fault::Throttle);
    let throttled = Instant::now();
    let mut writes = 0;
    while throttled.elapsed() < Duration::from_secs(5) {
        let (renewed, stored) = join(
            write(&store, "first", "renew"),
            store.checkpoint(&key(), "first", "2"),
        )
        .await;
        let renewed = renewed.expect_err("it is throttled").to_string();
        assert!(
            renewed.contains("ProvisionedThroughputExceeded"),
            "{renewed}"
        );
        stored.expect_err("it is throttled");
        writes += 2;
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    assert!(rule.hits() <= 5 * writes, "{} calls", rule.hits());
    rule.remove();
    yes!(store.renew(&key(), "first", LEASE));
    yes!(store.checkpoint(&key(), "first", "2"));
    let state = store.read(&key()).await.expect("the store answers");
    assert_eq!(state.checkpoint.as_deref(), Some("2"));
}

#[tokio::test]
async fn a_call_that_is_never_answered_ends_within_five_seconds() {
    let table = LeaseTable::start().await;
    let store = table.store();
    yes!(store.acquire(&key(), "first", LEASE));
    let rule = table.stack().faults().always(On::any(), Fault::NoAnswer);
    let asked = Instant::now();
    let error = store.renew(&key(), "first", LEASE).await;
    error.expect_err("nobody answers");
    let took = asked.elapsed();
    assert!(took <= Duration::from_secs(5) + SLACK, "{took:?}");
    rule.remove();
    yes!(store.renew(&key(), "first", LEASE));
}

#[tokio::test]
async fn a_lost_attempt_is_made_good_within_its_call() {
    let table = LeaseTable::start().await;
    let store = table.store();
    yes!(store.acquire(&key(), "first", LEASE));
    let rule = table.stack().faults().once(updates(), Fault::NoAnswer);
    yes!(store.renew(&key(), "first", LEASE));
    assert_eq!(rule.hits(), 1);
}

#[tokio::test]
async fn nothing_that_is_shown_holds_a_credential() {
    let table = LeaseTable::start().await;
    let store = table.store().legacy_stream("orders");
    let mut shown = vec![format!("{store:?} {store:#?}")];
    assert!(shown[0].contains("orders-leases"), "{shown:?}");
    for fault in [
        Fault::ErrorBefore,
        Fault::DropBefore,
        Fault::Throttle,
        Fault::error(
            400,
            "UnrecognizedClientException",
            "The security token is invalid.",
        ),
        Fault::error(400, "AccessDeniedException", "not authorized"),
    ] {
        let rule = table.stack().faults().always(On::any(), fault);
        for failed in [
            write(&store, "first", "acquire").await.err(),
            store.read(&key()).await.err(),
            store
                .survey("orders", &["shardId-000000000000"])
                .await
                .err(),
        ] {
            let failed = failed.expect("every call fails");
            shown.push(format!("{failed} {failed:?}"));
        }
        rule.remove();
    }
    for text in shown {
        assert!(!text.contains(tests::dynamo::SECRET), "{text}");
    }
}

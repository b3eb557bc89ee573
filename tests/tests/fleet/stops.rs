//! Instances that are asked to stop.

use std::time::Duration;

use tests::fleet::{Concurrency, Event, Fleet, Settings};
use tests::live::{SLACK, shard};

use crate::{EVERY, LEASE, PICK_UP, fleet, held_by, is};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_instance_handles_its_first_record_within_two_seconds_of_the_others_stop() {
    let mut fleet = fleet(1).await;
    let a = fleet.join(&fleet.settings("a")).await;
    let b = fleet.join(&fleet.settings("b")).await;
    let load = fleet.load(4).run(EVERY);
    a.told(Event::is_handled, 8).await;
    fleet.stop([a]).await;
    let released = fleet.ledger().released()[&shard(0)];
    b.told(Event::is_handled, 1).await;
    let handled = fleet.timeline().handled();
    let (_, first) = handled
        .iter()
        .find(|(by, _)| *by == b.place())
        .expect("handled");
    assert!(first.at < released + PICK_UP + SLACK);
    let load = load.stop().await;
    fleet.handled(&load.published()).await;
    fleet.stop([b]).await;
    fleet.check(&load.published(), |_| false);
}

/// An instance of many shards: with the default leases, and few reads.
fn unhurried(fleet: &Fleet) -> Settings {
    Settings {
        lease_ttl: Duration::from_secs(10),
        renew_every: Duration::from_secs(3),
        poll_interval: Duration::from_secs(5),
        ..fleet.settings("a")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_shard_of_a_stopped_instance_is_taken_in_one_round() {
    const SHARDS: i32 = 40;
    let mut fleet = fleet(SHARDS).await;
    let mut settings = unhurried(&fleet);
    let a = fleet.join(&settings).await;
    settings.owner_id = "b".to_owned();
    let b = fleet.join(&settings).await;
    fleet.stop([a]).await;
    let ledger = fleet
        .until(|ledger| held_by(ledger, "b").len() == SHARDS as usize)
        .await;
    let released = ledger.released();
    for taken in ledger.taken().iter().filter(|taken| is(&taken.by, "b")) {
        let free = released[&taken.shard];
        assert!(
            taken.at < free + PICK_UP + SLACK,
            "{taken:?}, free at {free:?}"
        );
    }
    fleet.stop([b]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_free_shards_are_taken_in_one_round() {
    const SHARDS: i32 = 200;
    let mut fleet = fleet(SHARDS).await;
    let settings = unhurried(&fleet);
    let a = fleet.join(&settings).await;
    // The round that opens the subscription is the first.
    assert_eq!(held_by(&fleet.ledger(), "a").len(), SHARDS as usize);
    fleet.stop([a]).await;
    assert_eq!(fleet.ledger().held().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_with_a_hundred_records_in_flight_settles_them_begins_no_more_and_exits_with_zero() {
    const IN_FLIGHT: usize = 100;
    let mut fleet = fleet(1).await;
    let mut settings = fleet.settings("a");
    settings.workers = Concurrency::Pool(IN_FLIGHT);
    // Longer than a lease.
    settings.work = LEASE + LEASE / 2;
    let mut a = fleet.join(&settings).await;
    let mut load = fleet.load(3 * IN_FLIGHT);
    load.publish(1).await;
    a.told(|event| matches!(event, Event::Began(_)), IN_FLIGHT)
        .await;
    a.terminate();
    assert_eq!(a.gone().await, Some(0), "{}", a.complaints());

    let handled = fleet.timeline().handled();
    assert_eq!(handled.len(), IN_FLIGHT);
    let began = |event: &Event| matches!(event, Event::Began(_));
    let began = fleet.timeline().count(|entry| began(&entry.event));
    assert_eq!(began, IN_FLIGHT, "records were begun after the stop");
    let row = fleet.ledger().rows().remove(&shard(0)).expect("a row");
    assert_eq!(row.owner, None);
    let mut sequences: Vec<_> = handled.iter().map(|(_, of)| &of.sequence).collect();
    sequences.sort_by_key(|sequence| (sequence.len(), *sequence));
    assert_eq!(row.checkpoint.as_ref(), sequences.last().copied());

    settings.owner_id = "b".to_owned();
    settings.work = Duration::ZERO;
    let b = fleet.join(&settings).await;
    fleet.handled(&load.published()).await;
    fleet.stop([b]).await;
    fleet.check(&load.published(), |_| false);
}

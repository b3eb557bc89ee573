//! Instances that end without a word, or pause for longer than their leases.

use std::time::Duration;

use tests::fleet::{Concurrency, Event, Handled, Ledger, clock};
use tests::live::{SLACK, shard};

use crate::{EVERY, LEASE, PICK_UP, fleet, held_by, is};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shards_of_a_killed_instance_are_read_by_the_others_within_the_lease_and_two_seconds() {
    let mut fleet = fleet(6).await;
    let mut a = fleet.join(&fleet.settings("a")).await;
    let load = fleet.load(6).run(EVERY);
    let b = fleet.join(&fleet.settings("b")).await;
    let c = fleet.join(&fleet.settings("c")).await;
    a.told(Event::is_handled, 12).await;

    let held = held_by(&fleet.ledger(), "a");
    assert!(!held.is_empty());
    a.kill().await;
    let killed = clock();
    let ledger = fleet.until(|ledger| held_by(ledger, "a").is_empty()).await;
    for shard in &held {
        let taken = ledger.taken();
        let mut taken = taken.iter().filter(|taken| taken.shard == *shard);
        let next = taken.rfind(|taken| !is(&taken.by, "a")).expect("taken");
        assert!(next.at < killed + LEASE + PICK_UP + SLACK, "{next:?}");
    }
    // Not only held, but read.
    tokio::time::sleep((killed + LEASE + PICK_UP + SLACK).saturating_sub(clock())).await;
    let load = load.stop().await;
    fleet.handled(&load.published()).await;
    for shard in &held {
        let handled = fleet.timeline().handled();
        let mut later = handled.iter().filter(|(by, _)| *by != a.place());
        let next = later.find(|(_, record)| record.shard == *shard);
        let next = &next.expect("read").1;
        assert!(next.at < killed + LEASE + PICK_UP + SLACK, "{next:?}");
    }
    fleet.stop([b, c]).await;
    fleet.check(&load.published(), |again| again.before == a.place());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_instance_stored_only_what_it_acknowledged_though_its_interval_is_shorter_than_its_work()
 {
    let mut fleet = fleet(1).await;
    let mut settings = fleet.settings("a");
    settings.checkpoint_interval = Some(Duration::from_millis(100));
    settings.work = Duration::from_secs(1);
    let mut a = fleet.join(&settings).await;
    let mut load = fleet.load(1);
    load.publish(5).await;
    a.told(Event::is_handled, 2).await;
    let second = fleet.timeline().handled()[1].1.sequence.clone();
    let stored = |ledger: &Ledger| ledger.rows().remove(&shard(0))?.checkpoint;
    fleet
        .until(|ledger| stored(ledger).is_some_and(|stored| stored == second))
        .await;
    a.kill().await;

    let handled = fleet.timeline().handled();
    let stored = stored(&fleet.ledger()).expect("a checkpoint");
    // The last one may have been handled an interval ago or less.
    let mut latest = handled.iter().rev().take(2);
    let is_stored = |(_, record): &&Handled| record.sequence == stored;
    assert!(
        latest.any(|latest| is_stored(&latest)),
        "{stored}: {handled:?}"
    );
    let last = &handled[handled.len() - 1].1;

    let b = fleet.join(&fleet.settings("b")).await;
    fleet.handled(&load.published()).await;
    fleet.stop([b]).await;
    fleet.check(&load.published(), |again| {
        again.number == last.number && last.sequence != stored
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_frozen_for_longer_than_its_lease_finds_itself_fenced_and_writes_nothing() {
    let mut fleet = fleet(1).await;
    let a = fleet.join(&fleet.settings("a")).await;
    let b = fleet.join(&fleet.settings("b")).await;
    let load = fleet.load(4).run(EVERY);
    a.told(Event::is_handled, 8).await;
    a.freeze();
    let frozen = clock();
    let ledger = fleet.until(|ledger| held_by(ledger, "b").len() == 1).await;
    let taken = ledger.taken().pop().expect("taken");
    assert!(taken.at < frozen + LEASE + PICK_UP + SLACK, "{taken:?}");
    b.told(Event::is_handled, 8).await;
    a.resume();
    let resumed = clock();
    b.told(Event::is_handled, 60).await;
    let load = load.stop().await;
    fleet.handled(&load.published()).await;

    // What it was about to handle, or did not know yet that it may not.
    let mut late = fleet.timeline().handled();
    late.retain(|(by, record)| *by == a.place() && record.at > resumed);
    assert!(late.len() <= 2, "{late:?}");
    let written = fleet.ledger();
    let mut written = written.applied().filter(|write| write.at > resumed);
    let by_a = written.find(|write| write.writer.as_ref().is_some_and(|owner| is(owner, "a")));
    assert_eq!(by_a, None);
    let (first, next) = (a.place(), b.place());
    fleet.stop([a, b]).await;
    fleet.check(&load.published(), |again| {
        [(first, next), (next, first)].contains(&(again.before, again.again))
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_of_one_owner_id_never_share_a_lease() {
    let mut fleet = fleet(4).await;
    let mut settings = fleet.settings("copy");
    settings.workers = Concurrency::ByKey(8);
    let a = fleet.spawn(&settings);
    let b = fleet.spawn(&settings);
    a.ready().await;
    b.ready().await;
    let load = fleet.load(8).run(EVERY);
    tokio::time::sleep(2 * LEASE).await;
    let load = load.stop().await;
    fleet.handled(&load.published()).await;
    fleet.stop([a, b]).await;
    // A shard goes to the other one only once it is free, or its lease over, as in every fleet.
    let taken = fleet.ledger().taken();
    assert!(taken.iter().all(|taken| is(&taken.by, "copy")), "{taken:?}");
    // On a busy machine one may be too late with a renewal.
    let late = fleet.lost_a_lease();
    fleet.check(&load.published(), |again| {
        late.contains(&again.before) || late.contains(&again.again)
    });
}

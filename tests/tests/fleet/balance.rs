//! How instances come to share a stream evenly.

use std::collections::BTreeSet;
use std::time::Duration;

use tests::fleet::{Concurrency, Event, Fleet, Instance, Ledger, Settings, Taken, clock};
use tests::live::SLACK;

use crate::{EVERY, PICK_UP, fleet, held_by, is};

/// What a shard's way to an instance that joined may take.
const SHARED: Duration = Duration::from_secs(15);

/// Longer than an instance takes to look at the others' leases.
const QUIET: Duration = Duration::from_secs(3);

/// Longer than a shard that was given up waits before who gave it up takes it back.
const LONG_QUIET: Duration = Duration::from_secs(13);

/// An instance with the default leases, which a busy machine does not cost it.
fn settings(fleet: &Fleet, owner_id: &str) -> Settings {
    Settings {
        lease_ttl: Duration::from_secs(10),
        renew_every: Duration::from_secs(3),
        poll_interval: Duration::from_millis(500),
        ..fleet.settings(owner_id)
    }
}

/// Whether each of the instances holds as many shards as any other, or one more.
fn is_even(ledger: &Ledger, instances: &[Instance], shards: usize) -> bool {
    let held = instances
        .iter()
        .map(|instance| held_by(ledger, instance.owner_id()).len());
    let held: Vec<_> = held.collect();
    held.iter().sum::<usize>() == shards
        && held
            .iter()
            .max()
            .zip(held.iter().min())
            .is_some_and(|(most, least)| most - least <= 1)
}

/// The most shards that the instance of that name held at one moment.
fn most_held(ledger: &Ledger, owner_id: &str) -> usize {
    let mut held = BTreeSet::new();
    let most = ledger.applied().map(|write| {
        let owner = write.after.owner.as_ref();
        if owner.is_some_and(|owner| is(owner, owner_id)) {
            held.insert(&write.shard);
        } else {
            held.remove(&write.shard);
        }
        held.len()
    });
    most.max().unwrap_or_default()
}

/// The moves from an instant on.
fn taken_since(ledger: &Ledger, since: Duration) -> Vec<Taken> {
    let mut taken = ledger.taken();
    taken.retain(|taken| taken.at > since);
    taken
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_joining_instance_gets_its_share_under_load_within_fifteen_seconds_and_nothing_is_handled_twice()
 {
    const SHARDS: usize = 8;
    let mut fleet = fleet(8).await;
    let mut of_a = settings(&fleet, "a");
    of_a.workers = Concurrency::ByKey(8);
    of_a.work = Duration::from_millis(50);
    let mut of_b = of_a.clone();
    of_b.owner_id = "b".to_owned();
    let a = fleet.join(&of_a).await;
    let load = fleet.load(SHARDS).run(EVERY);
    a.told(Event::is_handled, 16).await;
    let asked = clock();
    let b = fleet.join(&of_b).await;
    let instances = [a, b];
    let ledger = fleet
        .until(|ledger| is_even(ledger, &instances, SHARDS))
        .await;
    let moved: Vec<_> = ledger
        .taken()
        .into_iter()
        .filter(|taken| is(&taken.by, "b"))
        .collect();
    assert_eq!(moved.len(), SHARDS / 2, "{moved:?}");
    for moved in &moved {
        assert!(moved.at < asked + SHARED + SLACK, "{moved:?}");
        // Handed back, not taken away.
        assert_eq!(moved.from, None);
    }
    // Each goes on where it is now.
    instances[1].told(Event::is_handled, 16).await;
    let load = load.stop().await;
    fleet.handled(&load.published()).await;
    fleet.stop(instances).await;
    fleet.check(&load.published(), |_| false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_instances_on_sixteen_shards_get_three_or_four_each_and_no_shard_moves_twice() {
    const SHARDS: usize = 16;
    let mut fleet = fleet(16).await;
    let mut instances = Vec::new();
    let mut load = None;
    for name in ["a", "b", "c", "d", "e"] {
        let joined = clock();
        let settings = settings(&fleet, name);
        instances.push(fleet.join(&settings).await);
        load.get_or_insert_with(|| fleet.load(SHARDS).run(EVERY));
        fleet
            .until(|ledger| is_even(ledger, &instances, SHARDS))
            .await;
        let is_last = name == "e";
        tokio::time::sleep(if is_last { LONG_QUIET } else { QUIET }).await;
        let ledger = fleet.ledger();
        assert!(is_even(&ledger, &instances, SHARDS), "{:#?}", ledger.held());
        let moved = taken_since(&ledger, joined);
        let shards: BTreeSet<_> = moved.iter().map(|taken| &taken.shard).collect();
        assert_eq!(shards.len(), moved.len(), "one moved twice: {moved:#?}");
    }
    let load = load.expect("begun").stop().await;
    fleet.handled(&load.published()).await;
    fleet.stop(instances).await;
    fleet.check(&load.published(), |_| false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sixth_instance_gets_its_share_of_forty_shards_in_one_round() {
    const SHARDS: usize = 40;
    let mut fleet = fleet(40).await;
    let mut instances = Vec::new();
    for name in ["a", "b", "c", "d", "e"] {
        let mut settings = settings(&fleet, name);
        settings.poll_interval = Duration::from_secs(5);
        instances.push(fleet.spawn(&settings));
    }
    fleet
        .until(|ledger| is_even(ledger, &instances, SHARDS))
        .await;
    let mut settings = settings(&fleet, "f");
    settings.poll_interval = Duration::from_secs(5);
    let asked = clock();
    instances.push(fleet.join(&settings).await);
    let ledger = fleet
        .until(|ledger| is_even(ledger, &instances, SHARDS))
        .await;
    let mut taken = taken_since(&ledger, asked);
    taken.retain(|taken| is(&taken.by, "f"));
    let (first, last) = (&taken[0], &taken[taken.len() - 1]);
    assert!(taken.len() >= SHARDS / 6, "{taken:?}");
    assert!(last.at < asked + SHARED + SLACK, "{taken:?}");
    assert!(last.at < first.at + PICK_UP + SLACK, "{taken:?}");
    fleet.stop(instances).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_never_holds_more_than_its_most_and_the_others_take_the_rest() {
    let mut fleet = fleet(8).await;
    let mut few = settings(&fleet, "few");
    few.max_leases = Some(2);
    let few = fleet.join(&few).await;
    assert_eq!(held_by(&fleet.ledger(), "few").len(), 2);
    let many = fleet.join(&settings(&fleet, "many")).await;
    fleet
        .until(|ledger| held_by(ledger, "many").len() == 6)
        .await;
    fleet.stop([many]).await;
    tokio::time::sleep(QUIET).await;
    let ledger = fleet.ledger();
    assert_eq!(held_by(&ledger, "few").len(), 2, "{:#?}", ledger.held());
    assert_eq!(most_held(&ledger, "few"), 2);
    fleet.stop([few]).await;
}

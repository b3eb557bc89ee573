//! Several instances on many shards, with everything that can happen to them under one load.

use std::time::Duration;

use tests::fleet::{Concurrency, Event, Fleet, Instance, Settings};
use tests::live::within;

use crate::{LEASE, fleet, held_by};

/// How many rounds of everything; each takes some ten seconds.
const ROUNDS: &str = "FLEET_ROUNDS";

fn rounds() -> usize {
    let named = std::env::var(ROUNDS).ok();
    named.map_or(1, |rounds| rounds.parse().expect("a number of rounds"))
}

/// Three to five instances, started, split, merged, killed, frozen and stopped under one load.
struct Run {
    fleet: Fleet,
    running: Vec<Instance>,
    /// How many were started.
    started: usize,
    /// Instances whose records may be handled again: killed or frozen ones.
    suspect: Vec<usize>,
}

impl Run {
    fn settings(&self) -> Settings {
        let name = format!("i{}", self.started);
        Settings {
            workers: Concurrency::ByKey(16),
            work: Duration::from_millis(5),
            checkpoint_interval: Some(Duration::from_millis(200)),
            poll_interval: Duration::from_millis(500),
            ..self.fleet.settings(&name)
        }
    }

    async fn join(&mut self) {
        let settings = self.settings();
        let instance = self.fleet.join(&settings).await;
        self.running.push(instance);
        self.started += 1;
    }

    /// The running instance that holds the most shards, taken out of those.
    fn busiest(&mut self) -> Instance {
        let ledger = self.fleet.ledger();
        let shards = |instance: &Instance| held_by(&ledger, instance.owner_id()).len();
        let busiest = (0..self.running.len())
            .max_by_key(|&place| shards(&self.running[place]))
            .expect("some instance runs");
        self.running.remove(busiest)
    }

    /// Splits the widest open shard.
    async fn split(&self) {
        let open = self.fleet.open_shards().await;
        let widest = open.iter().max_by_key(|shard| shard.end - shard.start);
        let widest = widest.expect("a stream has shards");
        self.fleet.live().split(&widest.id).await;
    }

    /// Merges the two neighbours that are the least.
    async fn merge(&self) {
        let open = self.fleet.open_shards().await;
        let least = open
            .windows(2)
            .min_by_key(|pair| pair[1].end - pair[0].start)
            .expect("there are two shards");
        self.fleet.live().merge(&least[0].id, &least[1].id).await;
    }

    /// Waits until that many more records were handled.
    async fn go_on(&self, records: usize) {
        let handled = self.fleet.timeline().handled().len();
        let more = self.fleet.timeline().reach(|entries| {
            let handled_now = entries
                .iter()
                .filter(|entry| matches!(entry.event, Event::Handled(_)));
            handled_now.count() >= handled + records
        });
        within(more).await;
    }

    async fn round(&mut self) {
        self.join().await;
        self.split().await;
        self.split().await;
        self.go_on(100).await;

        let mut killed = self.busiest();
        killed.kill().await;
        self.suspect.push(killed.place());
        self.join().await;
        self.merge().await;
        self.go_on(100).await;

        let frozen = self.busiest();
        frozen.freeze();
        self.suspect.push(frozen.place());
        self.split().await;
        self.join().await;
        tokio::time::sleep(2 * LEASE).await;
        frozen.resume();
        self.go_on(100).await;

        let stopped = self.busiest();
        self.fleet.stop([stopped, frozen]).await;
        self.merge().await;
        self.go_on(100).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn splits_merges_a_kill_a_freeze_and_a_stop_under_load_lose_nothing_and_keep_the_order() {
    let mut run = Run {
        fleet: fleet(8).await,
        running: Vec::new(),
        started: 0,
        suspect: Vec::new(),
    };
    run.join().await;
    let load = run.fleet.load(32).run(Duration::from_millis(200));
    run.join().await;
    for _ in 0..rounds() {
        run.round().await;
    }
    let load = load.stop().await;
    run.fleet.handled(&load.published()).await;
    let running = std::mem::take(&mut run.running);
    run.fleet.stop(running).await;
    run.suspect.extend(run.fleet.lost_a_lease());
    run.fleet.check(&load.published(), |again| {
        run.suspect.contains(&again.before) || run.suspect.contains(&again.again)
    });
    assert_eq!(run.fleet.ledger().held().len(), 0);
}

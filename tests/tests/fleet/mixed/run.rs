//! The run itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tests::fleet::{
    Command, Concurrency, Entry, Event, Fleet, Instance, Settings, Start, Trouble, clock,
};
use tokio::time::timeout;

use super::report::{Deeds, Report, count};
use crate::{fleet, held_by, is};

/// How many records are handled between two deeds.
const BETWEEN: usize = 100;

/// How many records of a replay show that it began.
const REPLAYED: usize = 10;

/// What a run waits for records before it fails: a replay may be before them.
const PATIENCE: Duration = Duration::from_mins(3);

/// How large a run is.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    pub(super) name: &'static str,
    pub(super) shards: i32,
    /// How many run at the beginning and the end of a round; two more do in the middle.
    pub(super) instances: usize,
    pub(super) keys: usize,
    /// How often a record of each key is written.
    pub(super) every: Duration,
    pub(super) lease: Duration,
    pub(super) checkpoint_interval: Duration,
    pub(super) poll_interval: Duration,
    pub(super) ends: Ends,
    /// What decides on the faults.
    pub(super) seed: u64,
}

/// How long it goes on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ends {
    AfterRounds(usize),
    /// With the first round that ends later than that.
    After(Duration),
}

/// Instances that are started, moved, killed, frozen and stopped while shards are split and merged
/// and calls fail, under one load.
pub(super) struct Run {
    scale: Scale,
    fleet: Fleet,
    running: Vec<Instance>,
    /// How many names were given.
    named: usize,
    /// Instances that could not store all they handled, or handled what was no longer theirs: killed
    /// and frozen ones.
    cut: Vec<usize>,
    deeds: Arc<Deeds>,
}

impl Run {
    /// Runs it, and holds what it must show.
    pub(super) async fn of(scale: Scale) {
        println!("{}: seed {}", scale.name, scale.seed);
        let fleet = fleet(scale.shards).await;
        let trouble = Trouble::start(&fleet, scale.seed);
        let mut run = Self {
            scale,
            fleet,
            running: Vec::new(),
            named: 0,
            cut: Vec::new(),
            deeds: Arc::default(),
        };
        run.join().await;
        let load = run.fleet.load(run.scale.keys).run(run.scale.every);
        let report = Report::new(
            run.scale.name,
            load.written(),
            Arc::clone(&run.deeds),
            trouble,
            run.fleet.timeline().clone(),
        );
        let telling = tokio::spawn(report.clone().tell());
        while run.running.len() < run.scale.instances {
            run.join().await;
        }
        let mut rounds = 0;
        while match run.scale.ends {
            Ends::AfterRounds(most) => rounds < most,
            Ends::After(time) => report.elapsed() < time,
        } {
            run.round().await;
            rounds += 1;
        }
        let load = load.stop().await;
        run.fleet.handled_within(PATIENCE, &load.published()).await;
        let running = std::mem::take(&mut run.running);
        run.stop(running).await;
        telling.abort();

        let mut cut = std::mem::take(&mut run.cut);
        cut.extend(run.fleet.lost_a_lease());
        let found = run.fleet.found(&load.published(), |again| {
            cut.contains(&again.before) || cut.contains(&again.again)
        });
        report.verdict(&found);
        assert_eq!(found, Ok(()));
        assert_eq!(run.fleet.ledger().held().len(), 0);
    }

    async fn round(&mut self) {
        self.split().await;
        self.go_on().await;

        self.seek().await;
        self.go_on().await;

        let mut killed = self.busiest();
        killed.kill().await;
        count(&self.deeds.kills);
        self.cut.push(killed.place());
        self.join_pair().await;
        self.merge().await;
        self.go_on().await;

        let frozen = self.busiest();
        frozen.freeze();
        count(&self.deeds.freezes);
        self.cut.push(frozen.place());
        self.split().await;
        tokio::time::sleep(2 * self.scale.lease).await;
        frozen.resume();
        self.go_on().await;

        let stopped = self.busiest();
        self.stop(vec![stopped, frozen]).await;
        self.join_at_horizon().await;
        self.merge().await;
        self.go_on().await;

        // They grow with time, and nobody reads them.
        self.fleet.live().stack().calls().clear();
        self.fleet.dynamo().calls().clear();
    }

    /// The settings of an instance of a new name.
    fn settings(&mut self) -> Settings {
        let name = format!("i{}", self.named);
        self.named += 1;
        Settings {
            workers: Concurrency::ByKey(16),
            work: Duration::from_millis(5),
            lease_ttl: self.scale.lease,
            renew_every: self.scale.lease / 6,
            checkpoint_interval: Some(self.scale.checkpoint_interval),
            poll_interval: self.scale.poll_interval,
            ..self.fleet.settings(&name)
        }
    }

    async fn join(&mut self) {
        let settings = self.settings();
        let instance = self.fleet.join(&settings).await;
        self.running.push(instance);
    }

    /// Starts one that reads from the horizon what is free when it opens; what it takes over later, as
    /// the rows say.
    async fn join_at_horizon(&mut self) {
        let mut settings = self.settings();
        settings.start_at = Some(Start::Horizon);
        let instance = self.fleet.join(&settings).await;
        self.running.push(instance);
        count(&self.deeds.starts_at);
    }

    /// Starts two processes of one name, and waits until the leases show them as two owners.
    async fn join_pair(&mut self) {
        let settings = self.settings();
        let name = &settings.owner_id;
        let pair = [self.fleet.spawn(&settings), self.fleet.spawn(&settings)];
        for instance in &pair {
            instance.ready().await;
        }
        self.running.extend(pair);
        self.fleet
            .until(|ledger| {
                let owners = ledger.held().into_keys();
                owners.filter(|owner| is(owner, name)).count() == 2
            })
            .await;
        count(&self.deeds.pairs);
    }

    async fn stop(&mut self, instances: Vec<Instance>) {
        for _ in &instances {
            count(&self.deeds.stops);
        }
        self.fleet.stop(instances).await;
    }

    /// The place among those that run of the one that holds the most shards.
    fn place_of_busiest(&self) -> usize {
        let ledger = self.fleet.ledger();
        // Those of a pair are not told apart.
        let shards = |instance: &Instance| {
            let name = instance.owner_id();
            let named = self.running.iter().filter(|other| other.owner_id() == name);
            held_by(&ledger, name).len() / named.count()
        };
        let places = 0..self.running.len();
        let busiest = places.max_by_key(|&place| shards(&self.running[place]));
        busiest.expect("some instance runs")
    }

    /// The running instance that holds the most shards, taken out of those.
    fn busiest(&mut self) -> Instance {
        let place = self.place_of_busiest();
        self.running.remove(place)
    }

    /// Moves one of them to the horizon, and waits until it handles again what was handled before. A
    /// seek that is refused moves nothing, and is made again.
    async fn seek(&mut self) {
        let answered = |entry: &Entry| matches!(entry.event, Event::Sought | Event::Refused(_));
        let sought = |entry: &Entry| entry.event == Event::Sought;
        let place = self.place_of_busiest();
        let timeline = self.fleet.timeline().clone();
        let mut latest: BTreeMap<String, u64> = BTreeMap::new();
        for (_, record) in timeline.handled() {
            let latest = latest.entry(record.key).or_default();
            *latest = record.number.max(*latest);
        }
        let asked = clock();
        let before = timeline.count(sought);
        while timeline.count(sought) == before {
            let answers = timeline.count(answered) + 1;
            self.running[place].command(Command::Seek(Start::Horizon));
            self.wait("a seek", timeline.counted(answered, answers))
                .await;
            let refused = timeline.count(sought) == before;
            count(if refused {
                &self.deeds.refused_seeks
            } else {
                &self.deeds.seeks
            });
        }
        let by = self.running[place].place();
        let replayed = |entry: &Entry| match &entry.event {
            Event::Handled(record) => {
                let was_handled = latest.get(&record.key) >= Some(&record.number);
                entry.instance == by && record.at > asked && was_handled
            }
            _ => false,
        };
        self.wait("a replay", timeline.counted(replayed, REPLAYED))
            .await;
    }

    /// Splits the widest open shard.
    async fn split(&self) {
        let open = self.fleet.open_shards().await;
        let widest = open.iter().max_by_key(|shard| shard.end - shard.start);
        let widest = widest.expect("a stream has shards");
        self.fleet.live().split(&widest.id).await;
        count(&self.deeds.splits);
    }

    /// Merges the two neighbours that are the least.
    async fn merge(&self) {
        let open = self.fleet.open_shards().await;
        let least = open
            .windows(2)
            .min_by_key(|pair| pair[1].end - pair[0].start)
            .expect("there are two shards");
        self.fleet.live().merge(&least[0].id, &least[1].id).await;
        count(&self.deeds.merges);
    }

    /// Waits until some more records were handled.
    async fn go_on(&self) {
        let handled = |entry: &Entry| entry.event.is_handled();
        let timeline = self.fleet.timeline();
        let more = timeline.count(handled) + BETWEEN;
        self.wait("more records", timeline.counted(handled, more))
            .await;
    }

    async fn wait(&self, what: &str, until: impl Future<Output = ()>) {
        let waited = timeout(PATIENCE, until).await;
        let held = self.fleet.ledger().held();
        assert!(waited.is_ok(), "{what} did not come: {held:#?}");
    }
}

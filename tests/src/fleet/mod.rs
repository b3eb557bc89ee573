//! Several instances of one service, each a process of its own, on one stream and one lease table
//! in the test's process.

#![expect(
    clippy::missing_panics_doc,
    reason = "a fixture panics where the test cannot go on"
)]

pub mod checks;
mod event;
mod instance;
mod ledger;
mod load;
mod log;
mod settings;
mod timeline;
mod trouble;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_kinesis::types::Shard;
use kinesis_stack::{DynamoStack, KinesisStack};
use tokio::sync::{Semaphore, SemaphorePermit};

pub use checks::{Duplicate, Handled};
pub use event::{Event, Record, clock};
pub use instance::Instance;
pub use ledger::{Ledger, Row, RowWrite, Taken};
pub use load::{Load, Numbered, Published, Running};
pub use log::Reposition;
pub use settings::{Command, Concurrency, Settings, Start};
pub use timeline::{Entry, Timeline};
pub use trouble::Trouble;

use self::log::Log;
use crate::live::OneStream;

/// The table of the leases.
const TABLE: &str = "leases";

/// What a test waits for anything before it fails: several processes share few cores with other
/// tests' processes.
const PATIENCE: Duration = Duration::from_mins(1);

/// How many fleets run side by side; one on many shards runs alone.
const ALL_ROOM: u32 = 3;

static ROOM: Semaphore = Semaphore::const_new(ALL_ROOM as usize);

/// From how many shards on a fleet runs alone.
const MANY_SHARDS: i32 = 10;

/// The stream, the table, and what the instances on them told. Dropping it checks the table.
#[derive(Debug)]
pub struct Fleet {
    program: PathBuf,
    live: OneStream,
    dynamo: DynamoStack,
    timeline: Timeline,
    ledger: Mutex<Ledger>,
    /// One for each instance that was started.
    logs: Vec<Log>,
    _room: SemaphorePermit<'static>,
}

/// A shard that takes records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenShard {
    /// Its id.
    pub id: String,
    /// Its first hash key.
    pub start: u128,
    /// Its last hash key.
    pub end: u128,
}

impl OpenShard {
    fn of(shard: &Shard) -> Option<Self> {
        let numbers = shard.sequence_number_range.as_ref()?;
        let keys = shard.hash_key_range.as_ref()?;
        let open = numbers.ending_sequence_number.is_none();
        open.then_some(Self {
            id: shard.shard_id.clone(),
            start: keys.starting_hash_key.parse().ok()?,
            end: keys.ending_hash_key.parse().ok()?,
        })
    }
}

impl Fleet {
    /// A stream of that many shards and an empty table; `program` is the instances' binary.
    pub async fn start(program: impl Into<PathBuf>, shards: i32) -> Self {
        let room = if shards < MANY_SHARDS { 1 } else { ALL_ROOM };
        let room = ROOM.acquire_many(room).await;
        let dynamo = DynamoStack::start();
        dynamo.writes().record();
        Self {
            program: program.into(),
            live: OneStream::on(KinesisStack::start(), shards).await,
            dynamo,
            timeline: Timeline::default(),
            ledger: Mutex::default(),
            logs: Vec::new(),
            _room: room.expect("nobody closes it"),
        }
    }

    /// The stream and its stack.
    #[must_use]
    pub const fn live(&self) -> &OneStream {
        &self.live
    }

    /// The table's stack.
    #[must_use]
    pub const fn dynamo(&self) -> &DynamoStack {
        &self.dynamo
    }

    /// What the instances told.
    #[must_use]
    pub const fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The settings of an instance of that name: leases of three seconds, a handler that takes no
    /// time, one record after the other, a checkpoint with each.
    #[must_use]
    pub fn settings(&self, owner_id: &str) -> Settings {
        Settings {
            kinesis: self.live.endpoint().to_owned(),
            dynamo: self.dynamo.endpoint().to_owned(),
            stream: self.live.stream().to_owned(),
            table: TABLE.to_owned(),
            owner_id: owner_id.to_owned(),
            lease_ttl: Duration::from_secs(3),
            renew_every: Duration::from_millis(500),
            poll_interval: Duration::from_millis(200),
            checkpoint_interval: None,
            workers: Concurrency::Sequential,
            work: Duration::ZERO,
            start_at: None,
            max_leases: None,
        }
    }

    /// Starts an instance.
    pub fn spawn(&mut self, settings: &Settings) -> Instance {
        let log = Log::new(self.logs.len(), &settings.owner_id);
        self.logs.push(log.clone());
        Instance::start(&self.program, settings, log, self.timeline.clone())
    }

    /// Starts an instance, and answers once its subscription is open.
    pub async fn join(&mut self, settings: &Settings) -> Instance {
        let instance = self.spawn(settings);
        instance.ready().await;
        instance
    }

    /// The stream's open shards, in the order of their hash keys.
    pub async fn open_shards(&self) -> Vec<OpenShard> {
        let shards = self.live.shards().await;
        let mut open: Vec<_> = shards.iter().filter_map(OpenShard::of).collect();
        open.sort_by_key(|shard| shard.start);
        open
    }

    /// A load of that many keys.
    #[must_use]
    pub fn load(&self, keys: usize) -> Load {
        Load::new(self.live.client().clone(), self.live.stream(), keys)
    }

    /// The writes to the stream's rows so far.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        self.written().clone()
    }

    /// The same, up to this moment, for as long as nobody else wants to look.
    fn written(&self) -> MutexGuard<'_, Ledger> {
        let ledger = self.ledger.lock();
        let mut ledger = ledger.unwrap_or_else(PoisonError::into_inner);
        ledger.extend(&self.dynamo.writes().take(), self.live.stream());
        ledger
    }

    /// Waits until the ledger is as `holds` wants it, and answers it.
    pub async fn until(&self, holds: impl Fn(&Ledger) -> bool) -> Ledger {
        let waiting = async {
            while !holds(&self.written()) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        let ledger = self.ledger();
        assert!(
            waited.is_ok(),
            "the leases did not come to that: {:#?}",
            ledger.held()
        );
        ledger
    }

    /// Each time an instance moved a shard, as it logged it.
    #[must_use]
    pub fn repositions(&self) -> Vec<Reposition> {
        self.logs.iter().flat_map(Log::repositions).collect()
    }

    /// The places of the instances that lost a lease they held, as they logged it.
    #[must_use]
    pub fn lost_a_lease(&self) -> Vec<usize> {
        let late = self.logs.iter().filter(|log| log.lost_a_lease());
        late.map(Log::place).collect()
    }

    /// Waits until everything of `published` was handled; what was not fails the test.
    pub async fn handled(&self, published: &Published) {
        self.handled_within(PATIENCE, published).await;
    }

    /// The same, where that may take longer than usual.
    pub async fn handled_within(&self, patience: Duration, published: &Published) {
        let mut missing: std::collections::BTreeSet<_> = published
            .0
            .iter()
            .flat_map(|(key, count)| (0..*count).map(move |number| (key.clone(), number)))
            .collect();
        let mut looked_at = 0;
        let all = self.timeline.reach(|entries| {
            for entry in &entries[looked_at..] {
                if let Event::Handled(record) = &entry.event {
                    missing.remove(&(record.key.clone(), record.number));
                }
            }
            looked_at = entries.len();
            missing.is_empty()
        });
        if tokio::time::timeout(patience, all).await.is_err() {
            let lost = checks::nothing_lost(published, &self.timeline.handled());
            panic!(
                "{}\n{:#?}",
                lost.expect_err("something is missing"),
                self.ledger().held()
            );
        }
    }

    /// Holds what every run must show: nothing lost, each key in its order, nothing handled that was
    /// stored as handled before, and of the leases what [`checks::leases`] says. Only what `allowed`
    /// accepts, and what a seek or a start position moved, may have been handled twice.
    pub fn check(&self, published: &Published, allowed: impl Fn(&Duplicate) -> bool) {
        let found = self.found(published, allowed);
        assert_eq!(found, Ok(()));
    }

    /// The same, as an answer.
    ///
    /// # Errors
    ///
    /// What does not hold.
    pub fn found(
        &self,
        published: &Published,
        allowed: impl Fn(&Duplicate) -> bool,
    ) -> Result<(), String> {
        let handled = self.timeline.handled();
        let repositions = self.repositions();
        let logs = self.logs.iter();
        let owners = logs.filter_map(|log| Some((log.place(), log.owner()?)));
        let owners = owners.collect();
        checks::all([
            checks::nothing_lost(published, &handled),
            checks::keys_in_order(&handled),
            checks::handled_once(&handled, &repositions, allowed),
            checks::stored_stays_handled(&handled, &self.ledger(), &repositions, &owners),
            checks::leases(&self.written(), &repositions),
        ])
    }

    /// Stops these instances and waits until they are gone; each must end by itself, without an
    /// error.
    pub async fn stop(&self, instances: impl IntoIterator<Item = Instance>) {
        let mut instances: Vec<_> = instances.into_iter().collect();
        for instance in &instances {
            instance.terminate();
        }
        for instance in &mut instances {
            let code = instance.gone().await;
            assert_eq!(code, Some(0), "{}", instance.complaints());
        }
    }
}

/// However a run went, its leases are checked.
impl Drop for Fleet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let logs: String = self.logs.iter().map(Log::text).collect();
            eprint!("{logs}");
            return;
        }
        let found = checks::leases(&self.written(), &self.repositions());
        assert_eq!(found, Ok(()));
    }
}

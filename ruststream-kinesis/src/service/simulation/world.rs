//! What is outside of every instance: the service, the table, the way to both, and what watches.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::future::pending;
use std::rc::Rc;
use std::time::Instant;

use futures::channel::oneshot;

use super::counts::Counts;
use super::executor::{Executor, MILLI, Micros, Process, SECOND, WORLD};
use super::host::Host;
use super::oracle::Oracle;
use super::scenario::Scenario;
use super::stream::Stream;
use super::table::Table;
use crate::rules::reader::Refusal;

/// The service's clock when the simulation begins, in milliseconds since the epoch.
pub(super) const BEGINS: u64 = 1_700_000_000_000;

/// Whom a call goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Server {
    Kinesis,
    Table,
}

/// What a call of the service or of the table fails with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    Throttled,
    Expired,
    InvalidArgument,
    NotFound,
    /// A fault, or no answer in time.
    Other,
}

impl Failure {
    pub(super) const fn refusal(self) -> Refusal {
        match self {
            Self::Throttled => Refusal::Throttled,
            Self::InvalidArgument => Refusal::NoSuchPlace,
            _ => Refusal::Transient,
        }
    }
}

pub(super) struct World {
    pub(super) executor: Rc<Executor>,
    pub(super) scenario: Scenario,
    pub(super) stream: RefCell<Stream>,
    pub(super) table: RefCell<Table>,
    pub(super) oracle: RefCell<Oracle>,
    pub(super) counts: RefCell<Counts>,
    /// The instances as they run at present.
    pub(super) hosts: RefCell<Vec<Option<Rc<Host>>>>,
    /// Whether faults are over.
    pub(super) quiet: Cell<bool>,
    /// Until when each server refuses every call.
    pub(super) kinesis_out: Cell<Micros>,
    pub(super) table_out: Cell<Micros>,
    /// Until when nothing of a process reaches a server.
    pub(super) cut_off: RefCell<BTreeMap<(Process, Server), Micros>>,
    pub(super) finished: Cell<bool>,
    violation: RefCell<Option<String>>,
    trace: RefCell<Option<String>>,
}

/// What becomes of one call.
struct Fate {
    travel: Micros,
    /// Whether the server does what it is asked.
    lands: bool,
    /// What it answers instead.
    fails: Option<Failure>,
    back: Micros,
    answered: bool,
}

impl World {
    pub(super) fn new(seed: u64, epoch: Instant, recording: bool) -> Rc<Self> {
        let executor = Executor::new(seed, epoch);
        let scenario = Scenario::drawn(&executor);
        Rc::new(Self {
            stream: RefCell::new(Stream::new(&executor, &scenario)),
            table: RefCell::new(Table::new(scenario.table_skew)),
            oracle: RefCell::default(),
            counts: RefCell::default(),
            hosts: RefCell::new((0..scenario.instances).map(|_| None).collect()),
            quiet: Cell::new(false),
            kinesis_out: Cell::new(0),
            table_out: Cell::new(0),
            cut_off: RefCell::default(),
            finished: Cell::new(false),
            violation: RefCell::default(),
            trace: RefCell::new(recording.then(String::new)),
            executor,
            scenario,
        })
    }

    pub(super) fn now(&self) -> Micros {
        self.executor.now()
    }

    /// The service's clock, in milliseconds since the epoch.
    pub(super) fn service_time(&self) -> u64 {
        BEGINS + self.now() / MILLI
    }

    /// Says what happened, where somebody reads it.
    pub(super) fn tell(&self, what: impl FnOnce() -> String) {
        if let Some(trace) = &mut *self.trace.borrow_mut() {
            let now = self.now();
            writeln!(trace, "{:>4}.{:06} {}", now / SECOND, now % SECOND, what())
                .expect("a string");
        }
    }

    /// An invariant does not hold; the first one to break is told.
    pub(super) fn broken(&self, what: impl FnOnce() -> String) {
        let mut violation = self.violation.borrow_mut();
        if violation.is_none() {
            let what = what();
            self.tell(|| format!("BROKEN: {what}"));
            *violation = Some(what);
        }
    }

    /// Checks what the oracle answered.
    pub(super) fn check(&self, held: Result<(), String>) {
        if let Err(broken) = held {
            self.broken(|| broken);
        }
    }

    pub(super) fn violation(&self) -> Option<String> {
        self.violation.borrow().clone()
    }

    pub(super) fn trace(&self) -> String {
        self.trace.borrow().clone().unwrap_or_default()
    }

    pub(super) fn count(&self, add: impl FnOnce(&mut Counts)) {
        add(&mut self.counts.borrow_mut());
    }

    /// Carries a call of a process to a server. It lands whether or not somebody still waits for its answer.
    pub(super) async fn call<T: 'static>(
        self: &Rc<Self>,
        process: Process,
        server: Server,
        serve: impl FnOnce(&Self) -> Result<T, Failure> + 'static,
    ) -> Result<T, Failure> {
        let fate = self.fate(process, server);
        let (answer, answered) = oneshot::channel();
        let world = Rc::clone(self);
        self.executor.spawn(WORLD, async move {
            world.executor.pass(fate.travel).await;
            let mut outcome = if fate.lands {
                serve(&world)
            } else {
                Err(Failure::Other)
            };
            if let Some(failure) = fate.fails {
                outcome = Err(failure);
            }
            world.executor.pass(fate.back).await;
            if fate.answered {
                // Who asked may be gone.
                let _ = answer.send(outcome);
            } else {
                world.count(|counts| counts.lost_replies += 1);
                // Nothing tells the caller that no answer is on its way.
                pending::<()>().await;
            }
        });
        answered.await.unwrap_or(Err(Failure::Other))
    }

    fn fate(&self, process: Process, server: Server) -> Fate {
        let dice = &self.executor;
        let mut fate = Fate {
            // Whole milliseconds, so that things happen at the same time.
            travel: dice.within(1, 8) * MILLI,
            lands: true,
            fails: None,
            back: dice.within(1, 8) * MILLI,
            answered: true,
        };
        if self.quiet.get() {
            return fate;
        }
        let cut_off = self.cut_off.borrow().get(&(process, server)).copied();
        if cut_off.is_some_and(|until| self.now() < until) {
            fate.lands = false;
            fate.answered = false;
            return fate;
        }
        let out = match server {
            Server::Kinesis => &self.kinesis_out,
            Server::Table => &self.table_out,
        };
        if self.now() < out.get() {
            fate.lands = false;
            fate.fails = Some(Failure::Throttled);
            return fate;
        }
        // Every kind of weather in a thousand calls, so many times over.
        let weather = self.scenario.weather;
        if weather == 0 {
            return fate;
        }
        let roll = dice.below(1_000) / weather;
        match roll {
            0 | 1 => {
                fate.lands = false;
                fate.fails = Some(Failure::Throttled);
            }
            2 => {
                fate.lands = false;
                fate.fails = Some(Failure::Other);
            }
            3 | 4 => fate.fails = Some(Failure::Other),
            5 => {
                fate.lands = false;
                fate.answered = false;
            }
            6 | 7 => fate.answered = false,
            8 => {
                fate.travel = dice.within(SECOND / 2, 12 * SECOND);
                self.count(|counts| counts.delayed_calls += 1);
            }
            9 => fate.back = dice.within(SECOND / 2, 4 * SECOND),
            _ => {}
        }
        fate
    }
}

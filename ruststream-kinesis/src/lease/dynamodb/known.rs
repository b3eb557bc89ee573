//! What this process knows of the table's rows.
//!
//! Being wrong costs a call and nothing else: every write is conditional on what was known.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::clock;
use crate::lease::LeaseKey;
use crate::rules::members::Members;
use crate::rules::row::Row;

/// How long a row that was seen may be taken without another look.
const RECENT: Duration = Duration::from_secs(5);
/// How long a shard that had no row of an earlier version is thought to have none.
const BARE_RECENT: Duration = Duration::from_mins(1);

/// How long a row is known that nobody writes or looks at: longer than any lease, so what is held
/// was renewed since. Shards come and go for as long as the process runs.
const KEPT: Duration = Duration::from_hours(2);
/// How often what is not kept any longer is looked for.
const TIDY_EVERY: Duration = Duration::from_mins(1);

/// The writers of one row, one after the other.
type Turns = tokio::sync::Mutex<()>;

#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    rows: HashMap<LeaseKey, Seen>,
    turns: HashMap<LeaseKey, Arc<Turns>>,
    /// When a shard was found to have no progress in a row of an earlier version.
    bare_absent: HashMap<String, Instant>,
    /// By stream.
    members: HashMap<String, Members>,
    tidied: Option<Instant>,
}

#[derive(Debug)]
struct Seen {
    /// Nothing where there was none.
    row: Option<Row>,
    at: Instant,
}

impl Inner {
    /// What was just learned of a row.
    fn see(&mut self, key: &LeaseKey, row: Option<Row>) {
        let at = clock::now();
        self.tidy(at);
        self.rows.insert(key.clone(), Seen { row, at });
    }

    /// Forgets the shards that ended, and those that nobody here has to do with any more.
    fn tidy(&mut self, now: Instant) {
        let since = |at: Instant| now.saturating_duration_since(at);
        if self.tidied.is_some_and(|at| since(at) < TIDY_EVERY) {
            return;
        }
        self.tidied = Some(now);
        self.rows.retain(|_, seen| since(seen.at) <= KEPT);
        self.bare_absent.retain(|_, at| since(*at) <= BARE_RECENT);
        // Whoever waits for the row, or has the turn to write it, has the writers in hand as well.
        let Self { rows, turns, .. } = self;
        turns.retain(|key, turns| rows.contains_key(key) || Arc::strong_count(turns) > 1);
    }
}

impl Known {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No holder panics half way: every change is a few insertions and removals.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The row, where `owner` held it when it was last seen.
    pub(super) fn held(&self, key: &LeaseKey, owner: &str) -> Option<Row> {
        let inner = self.inner();
        let row = inner.rows.get(key)?.row.as_ref()?;
        row.is_held_by(owner).then(|| row.clone())
    }

    /// The row, or that there is none, where it was seen just now.
    #[expect(
        clippy::option_option,
        reason = "whether it is known, and then whether it is there"
    )]
    pub(super) fn recent(&self, key: &LeaseKey) -> Option<Option<Row>> {
        let inner = self.inner();
        let seen = inner.rows.get(key)?;
        let age = clock::now().saturating_duration_since(seen.at);
        (age <= RECENT).then(|| seen.row.clone())
    }

    /// The row was found to be this by a call that was sent at `asked`; answers what to go by, since
    /// more may have been learned meanwhile.
    pub(super) fn found(
        &self,
        key: &LeaseKey,
        mut row: Option<Row>,
        asked: Instant,
    ) -> Option<Row> {
        let mut inner = self.inner();
        if let Some(seen) = inner.rows.get(key) {
            let count = |row: Option<&Row>| row.map(|row| row.counter);
            if seen.at > asked && count(seen.row.as_ref()) >= count(row.as_ref()) {
                return seen.row.clone();
            }
            if let (Some(row), Some(known)) = (&mut row, &seen.row) {
                row.recall(known);
            }
        }
        inner.see(key, row.clone());
        row
    }

    /// A write made the row this, unless a later one is known already.
    pub(super) fn wrote(&self, key: &LeaseKey, row: Row) {
        let mut inner = self.inner();
        let known = inner.rows.get(key).and_then(|seen| seen.row.as_ref());
        if known.is_none_or(|known| known.counter <= row.counter) {
            inner.see(key, Some(row));
        }
    }

    /// The row is somebody else's business now.
    pub(super) fn forget(&self, key: &LeaseKey) {
        let mut inner = self.inner();
        inner.rows.remove(key);
        inner.turns.remove(key);
    }

    /// What the writers of the row wait at.
    pub(super) fn turns(&self, key: &LeaseKey) -> Arc<Turns> {
        let mut inner = self.inner();
        if let Some(turns) = inner.turns.get(key) {
            return Arc::clone(turns);
        }
        let turns = Arc::default();
        inner.turns.insert(key.clone(), Arc::clone(&turns));
        turns
    }

    /// Whether the shard had no progress in a row of an earlier version just now.
    pub(super) fn has_no_bare_row(&self, shard: &str) -> bool {
        let absent = self.inner().bare_absent.get(shard).copied();
        absent.is_some_and(|at| clock::now().saturating_duration_since(at) <= BARE_RECENT)
    }

    pub(super) fn found_no_bare_row(&self, shard: &str) {
        self.inner()
            .bare_absent
            .insert(shard.to_owned(), clock::now());
    }

    /// How many rows, writers and absent rows are known: the measure of this value's memory.
    #[cfg(test)]
    pub(super) fn entries(&self) -> [usize; 3] {
        let inner = self.inner();
        [inner.rows.len(), inner.turns.len(), inner.bare_absent.len()]
    }

    /// The members of a stream; nobody where they were never seen.
    pub(super) fn members(&self, stream: &str) -> Members {
        let inner = self.inner();
        inner.members.get(stream).cloned().unwrap_or_default()
    }

    pub(super) fn departed(&self, stream: &str, owner: &str) {
        if let Some(members) = self.inner().members.get_mut(stream) {
            members.depart(owner);
        }
    }

    pub(super) fn found_members(&self, stream: &str, members: &Members) {
        self.inner()
            .members
            .insert(stream.to_owned(), members.clone());
    }
}

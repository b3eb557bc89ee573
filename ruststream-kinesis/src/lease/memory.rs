//! The store of a single instance.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::{LeaseError, LeaseKey, LeaseState, LeaseStore};
use crate::clock;

/// Leases and checkpoints in this process: correct for a single service instance, and empty again
/// after a restart.
#[derive(Debug, Default)]
pub struct MemoryLeaseStore {
    rows: Mutex<HashMap<LeaseKey, Row>>,
}

#[derive(Debug, Default)]
struct Row {
    lease: Option<Lease>,
    checkpoint: Option<String>,
    cursor: Option<String>,
}

#[derive(Debug)]
struct Lease {
    owner: String,
    expires: Instant,
}

impl Row {
    /// Whether the lease is `owner`'s still: one that has expired is, until another takes it.
    fn held_by(&self, owner: &str) -> bool {
        self.lease
            .as_ref()
            .is_some_and(|lease| lease.owner == owner)
    }

    fn held_by_another(&self, owner: &str, now: Instant) -> bool {
        self.lease
            .as_ref()
            .is_some_and(|lease| lease.owner != owner && lease.expires > now)
    }
}

impl MemoryLeaseStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<LeaseKey, Row>> {
        // No call leaves a row half written, so a poisoned map is a whole one.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn extend(&self, key: &LeaseKey, owner: &str, ttl: Duration) -> bool {
        let mut rows = self.rows();
        let Some(row) = rows.get_mut(key).filter(|row| row.held_by(owner)) else {
            return false;
        };
        row.lease = Some(Lease {
            owner: owner.to_owned(),
            expires: clock::now() + ttl,
        });
        true
    }
}

impl LeaseStore for MemoryLeaseStore {
    fn acquire<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let now = clock::now();
        let mut rows = self.rows();
        let row = rows.entry(key.clone()).or_default();
        let free = !row.held_by_another(owner, now);
        if free {
            row.lease = Some(Lease {
                owner: owner.to_owned(),
                expires: now + ttl,
            });
        }
        ready(Ok(free)).boxed()
    }

    fn renew<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        ready(Ok(self.extend(key, owner, ttl))).boxed()
    }

    fn checkpoint<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        sequence: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let mut rows = self.rows();
        let held = rows.get_mut(key).filter(|row| row.held_by(owner));
        let written = held.is_some();
        if let Some(row) = held {
            // One call per acknowledgement: the row's string is reused.
            let stored = row.checkpoint.get_or_insert_default();
            stored.clear();
            stored.push_str(sequence);
            row.cursor = None;
        }
        ready(Ok(written)).boxed()
    }

    fn keep_cursor<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        cursor: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let mut rows = self.rows();
        let held = rows.get_mut(key).filter(|row| row.held_by(owner));
        let written = held.is_some();
        if let Some(row) = held {
            row.cursor = Some(cursor.to_owned());
        }
        ready(Ok(written)).boxed()
    }

    fn read<'a>(&'a self, key: &'a LeaseKey) -> BoxFuture<'a, Result<LeaseState, LeaseError>> {
        let state = self.rows().get(key).map(|row| LeaseState {
            checkpoint: row.checkpoint.clone(),
            cursor: row.cursor.clone(),
            ..LeaseState::default()
        });
        ready(Ok(state.unwrap_or_default())).boxed()
    }

    fn release<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        if let Some(row) = self.rows().get_mut(key)
            && row.lease.as_ref().is_some_and(|lease| lease.owner == owner)
        {
            row.lease = None;
        }
        ready(Ok(())).boxed()
    }
}

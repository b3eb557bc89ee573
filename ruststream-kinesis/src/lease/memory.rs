//! The store of a single instance.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::{LeaseError, LeaseKey, LeaseState, LeaseStore, Member, Opening, Survey, answers};
use crate::clock;
use crate::rules::members::Members;
use crate::rules::row::Row;
use crate::rules::store_time::StoreTime;

/// Leases and checkpoints in this process: correct for a single service instance, and empty again
/// after a restart.
///
/// No call waits, and none fails. Brokers of one process that are given one store share the shards
/// as instances do.
#[derive(Debug)]
pub struct MemoryLeaseStore {
    /// The epoch of its clock.
    started: Instant,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    rows: HashMap<LeaseKey, Row>,
    /// By stream.
    members: HashMap<String, Members>,
}

impl Default for MemoryLeaseStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryLeaseStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            started: clock::now(),
            kept: Mutex::default(),
        }
    }

    fn now(&self) -> StoreTime {
        StoreTime::since_epoch(clock::now().saturating_duration_since(self.started))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // No call leaves a row half written, so a poisoned map is a whole one.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes to a row that is there; answers whether that was not refused.
    fn write(&self, key: &LeaseKey, write: impl FnOnce(&mut Row) -> bool) -> bool {
        self.kept().rows.get_mut(key).is_some_and(write)
    }
}

impl LeaseStore for MemoryLeaseStore {
    fn acquire<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let now = self.now();
        let mut kept = self.kept();
        let row = kept.rows.entry(key.clone()).or_default();
        ready(Ok(row.acquire(owner, ttl, now))).boxed()
    }

    fn renew<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let now = self.now();
        ready(Ok(self.write(key, |row| row.renew(owner, ttl, now)))).boxed()
    }

    fn checkpoint<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        sequence: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        ready(Ok(self.write(key, |row| row.checkpoint(owner, sequence)))).boxed()
    }

    fn keep_cursor<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        cursor: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        ready(Ok(self.write(key, |row| row.keep_cursor(owner, cursor)))).boxed()
    }

    fn read<'a>(&'a self, key: &'a LeaseKey) -> BoxFuture<'a, Result<LeaseState, LeaseError>> {
        let now = self.now();
        let state = self
            .kept()
            .rows
            .get(key)
            .map(|row| LeaseState::of(row, now));
        ready(Ok(state.unwrap_or_default())).boxed()
    }

    fn release<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.write(key, |row| row.release(owner));
        ready(Ok(())).boxed()
    }

    fn take<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
        opening: &'a Opening,
    ) -> BoxFuture<'a, Result<Option<LeaseState>, LeaseError>> {
        let now = self.now();
        let mut kept = self.kept();
        let row = kept.rows.entry(key.clone()).or_default();
        ready(Ok(answers::take(row, owner, ttl, now, opening))).boxed()
    }

    fn survey<'a>(
        &'a self,
        stream: &'a str,
        shards: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Option<Survey>, LeaseError>> {
        let now = self.now();
        let kept = self.kept();
        let state = |shard: &&str| {
            let row = kept.rows.get(&LeaseKey::new(stream, *shard));
            row.map(|row| LeaseState::of(row, now)).unwrap_or_default()
        };
        let members = kept.members.get(stream);
        let survey = Survey::new(
            shards.iter().map(state).collect(),
            members.map_or_else(Vec::new, |members| Member::present(members, now)),
        );
        ready(Ok(Some(survey))).boxed()
    }

    fn announce<'a>(
        &'a self,
        stream: &'a str,
        member: &'a Member,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Vec<Member>, LeaseError>> {
        let now = self.now();
        let mut kept = self.kept();
        let members = kept.members.entry(stream.to_owned()).or_default();
        members.announce(&member.owner, member.max_leases, ttl, now);
        ready(Ok(Member::present(members, now))).boxed()
    }

    fn depart<'a>(
        &'a self,
        stream: &'a str,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        if let Some(members) = self.kept().members.get_mut(stream) {
            members.depart(owner);
        }
        ready(Ok(())).boxed()
    }
}

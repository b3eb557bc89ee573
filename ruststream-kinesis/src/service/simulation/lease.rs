//! A lease a process holds, and the task that keeps it. Imitates `service::held_lease` and
//! `service::lease_keeper`.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::select;

use super::host::Host;
use super::shard::Shard;
use super::table::Write;
use super::world::Failure;
use crate::lease::{ANSWERED_WITHIN, LeaseState, Opening};
use crate::rules::cursor::Cursor;
use crate::rules::cursor_text;
use crate::rules::lease::{Action, Term};
use crate::rules::shard_graph::ShardId;

pub(super) struct HeldLease(Rc<Tenure>);

pub(super) struct Keeping(Rc<Tenure>);

struct Tenure {
    host: Rc<Host>,
    shard: ShardId,
    id: u64,
    term: RefCell<Term>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Stored,
    Fenced,
}

impl HeldLease {
    /// Takes the shard as the tenure `id`, which the oracle knows it by.
    pub(super) async fn take(
        host: &Rc<Host>,
        shard: &ShardId,
        id: u64,
        opening: Opening,
    ) -> Result<Option<(Self, LeaseState)>, Failure> {
        let asked = host.now();
        let call = host.store.write(shard, Write::Take(opening), id, 0);
        let answer = host.timeout(ANSWERED_WITHIN, call).await;
        let taken = answer.unwrap_or(Err(Failure::Other))?;
        let timings = host.world.scenario.timings;
        Ok(taken.map(|found| {
            let tenure = Tenure {
                host: Rc::clone(host),
                shard: Arc::clone(shard),
                id,
                term: RefCell::new(Term::new(timings.lease_ttl, timings.renew_every, asked)),
            };
            (Self(Rc::new(tenure)), found)
        }))
    }

    pub(super) fn tenure(&self) -> u64 {
        self.0.id
    }

    pub(super) fn keeping(&self) -> Keeping {
        Keeping(Rc::clone(&self.0))
    }

    pub(super) async fn keep_cursor(
        &mut self,
        cursor: &Cursor,
        generation: u64,
    ) -> Result<Written, Failure> {
        match cursor_text::write(cursor) {
            Some(cursor) => self.0.write(Write::KeepCursor(cursor), generation).await,
            None => Ok(Written::Stored),
        }
    }

    pub(super) async fn checkpoint(
        &mut self,
        sequence: &str,
        generation: u64,
    ) -> Result<Written, Failure> {
        let write = Write::Checkpoint(sequence.to_owned());
        self.0.write(write, generation).await
    }

    pub(super) async fn release(self) -> Result<(), Failure> {
        let tenure = &*self.0;
        let call = tenure
            .host
            .store
            .write(&tenure.shard, Write::Release, tenure.id, 0);
        let answer = tenure.host.timeout(ANSWERED_WITHIN, call).await;
        answer.unwrap_or(Err(Failure::Other)).map(|_| ())
    }
}

impl Keeping {
    fn action(&self) -> Action {
        self.0.term().action(self.0.host.now())
    }

    pub(super) fn renew_by(&self) -> Instant {
        self.0.term().renew_by()
    }

    async fn renew(&self) -> Result<Written, Failure> {
        let tenure = &*self.0;
        let asked = tenure.host.now();
        let written = tenure.write(Write::Renew, 0).await;
        match &written {
            Ok(Written::Stored) => tenure.term().renewed(asked),
            Ok(Written::Fenced) => {}
            Err(_) => tenure
                .term()
                .failed(tenure.host.now(), tenure.host.random()),
        }
        written
    }
}

impl Tenure {
    fn term(&self) -> RefMut<'_, Term> {
        self.term.borrow_mut()
    }

    async fn write(&self, write: Write, generation: u64) -> Result<Written, Failure> {
        let call = self
            .host
            .store
            .write(&self.shard, write, self.id, generation);
        let answer = self.host.timeout(self.patience(), call).await;
        answer
            .unwrap_or(Err(Failure::Other))
            .map(|held| match held {
                Some(_) => Written::Stored,
                None => Written::Fenced,
            })
    }

    fn patience(&self) -> Duration {
        let left = self
            .term()
            .valid_until()
            .saturating_duration_since(self.host.now());
        left.min(self.host.world.scenario.timings.lease_ttl / 2)
            .min(ANSWERED_WITHIN)
    }
}

/// Renews until the lease is given up or lost, and stores what acknowledgements left unstored.
pub(super) async fn keep(shard: Rc<Shard>, keeping: Keeping) {
    let _kept = Kept(Rc::clone(&shard));
    let mut keeper = Keeper {
        store_at: shard.host.now() + shard.interval().unwrap_or_default(),
        shard,
        keeping,
    };
    while let Some(next) = keeper.turn().await {
        select! {
            biased;
            () = keeper.shard.host.sleep_until(next) => {}
            () = keeper.shard.keeper.notified() => {}
        }
    }
}

struct Kept(Rc<Shard>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.give_up(false);
    }
}

struct Keeper {
    shard: Rc<Shard>,
    keeping: Keeping,
    store_at: Instant,
}

impl Keeper {
    async fn turn(&mut self) -> Option<Instant> {
        let shard = Rc::clone(&self.shard);
        let host = &shard.host;
        let wait = self
            .keeping
            .renew_by()
            .saturating_duration_since(host.now());
        let lease = host.timeout(wait, shard.lease.lock()).await;
        if shard.is_given_up() {
            return None;
        }
        let Some(mut lease) = lease else {
            return self.renew().await;
        };
        lease.as_ref()?;
        let Some(next) = self.renew().await else {
            *lease = None;
            return None;
        };
        let store_due = shard.interval().is_none()
            || host.now() >= self.store_at
            || shard.has_unstored_position();
        let mut pause = shard.interval();
        // What fails is reported.
        if store_due && shard.store_unstored(&mut lease).await.is_err() {
            let renew_every = host.world.scenario.timings.renew_every;
            pause = pause.map(|interval| interval.min(renew_every));
        }
        lease.as_ref()?;
        Some(match pause {
            Some(pause) => {
                if store_due {
                    self.store_at = host.now() + pause;
                }
                next.min(self.store_at)
            }
            None => next,
        })
    }

    async fn renew(&mut self) -> Option<Instant> {
        let host = &self.shard.host;
        match self.keeping.action() {
            Action::Wait(until) => return Some(until),
            Action::Lost => {
                host.world.count(|counts| counts.leases_run_out += 1);
                self.shard.lost("no renewal was confirmed before it ended");
                return None;
            }
            Action::Renew => match self.keeping.renew().await {
                Ok(Written::Stored) | Err(_) => {}
                Ok(Written::Fenced) => {
                    self.shard.lost("another owner took it");
                    return None;
                }
            },
        }
        Some(match self.keeping.action() {
            Action::Wait(until) => until,
            Action::Renew | Action::Lost => host.now(),
        })
    }
}

//! Keeps one shard's lease, on a task of its own: a handler that takes a minute, a full channel or
//! a drain at the shard's end never costs it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::select;
use tokio::time::{sleep_until, timeout_at};

use super::held_lease::{Keeping, Written};
use super::page::Outlet;
use super::shard::Shard;
use crate::clock;
use crate::rules::lease::Action;

/// How long an unsettled record may hold a shard's watermark before that is warned about.
const HELD_LONG: Duration = Duration::from_mins(1);

/// Renews until the lease is given up or lost, and stores what acknowledgements left unstored.
pub(super) async fn keep(shard: Arc<Shard>, keeping: Keeping, outlet: Outlet) {
    // Whatever ends this task ends the shard: nobody else keeps its lease.
    let _kept = Kept(Arc::clone(&shard));
    let mut keeper = Keeper {
        store_at: shard.checkpoint_interval.map_or_else(clock::now, after),
        shard,
        keeping,
        outlet,
        late: false,
    };
    let mut warned = false;
    while let Some(next) = keeper.turn().await {
        select! {
            () = sleep_until(next.into()) => {}
            () = keeper.shard.keeper_wake() => {}
        }
        warned = warn_if_held_long(&keeper.shard, warned);
    }
}

struct Kept(Arc<Shard>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.give_up(false);
    }
}

struct Keeper {
    shard: Arc<Shard>,
    keeping: Keeping,
    outlet: Outlet,
    /// When the checkpoint interval is over.
    store_at: Instant,
    /// Whether a renewal failed since the last that was confirmed.
    late: bool,
}

impl Keeper {
    /// Does what is due, and answers when something is due again; nothing once the lease is gone.
    async fn turn(&mut self) -> Option<Instant> {
        let shard = Arc::clone(&self.shard);
        // Whoever has the turn to write is polled by a handler, and a handler may turn away from
        // it: the renewal does not wait for it longer than the lease allows.
        let lease = timeout_at(self.keeping.renew_by().into(), shard.lease.lock()).await;
        if shard.is_given_up() {
            return None;
        }
        let Ok(mut lease) = lease else {
            return self.renew().await;
        };
        lease.as_ref()?;
        let Some(next) = self.renew().await else {
            *lease = None;
            return None;
        };
        // Acknowledgements store their own checkpoints, unless the interval or a failed call left
        // them to this task.
        let store_due = shard.checkpoint_interval.is_none()
            || clock::now() >= self.store_at
            || shard.has_unstored_position();
        let mut pause = shard.checkpoint_interval;
        if store_due && let Err(error) = shard.store_unstored(&mut lease).await {
            self.outlet.report(error);
            // An interval may be long: what it was to store is not left unstored for another.
            pause = pause.map(|interval| interval.min(self.keeping.renew_every()));
        }
        lease.as_ref()?;
        Some(match pause {
            Some(pause) => {
                if store_due {
                    self.store_at = after(pause);
                }
                next.min(self.store_at)
            }
            None => next,
        })
    }

    /// Renews the lease where that is due, and answers when it is due again; nothing once the lease
    /// is lost.
    async fn renew(&mut self) -> Option<Instant> {
        match self.keeping.action() {
            Action::Wait(until) => return Some(until),
            Action::Lost => {
                let why = "no renewal was confirmed before it ended";
                self.shard.lost(why);
                self.outlet.report(self.shard.lease_error(why));
                return None;
            }
            Action::Renew => match self.keeping.renew().await {
                Ok(Written::Stored) if self.late => {
                    self.late = false;
                    tracing::warn!(
                        target: "ruststream::kinesis",
                        subscription = self.shard.seek().stream(),
                        shard = &**self.shard.id(),
                        owner = &*self.shard.owner,
                        "lease renewed late",
                    );
                }
                Ok(Written::Stored) => {}
                Ok(Written::Fenced) => {
                    self.shard.lost("another owner took it");
                    return None;
                }
                Err(error) => {
                    self.late = true;
                    self.outlet.report(self.shard.lease_error(error));
                }
            },
        }
        Some(match self.keeping.action() {
            Action::Wait(until) => until,
            Action::Renew | Action::Lost => clock::now(),
        })
    }
}

fn after(interval: Duration) -> Instant {
    clock::now() + interval
}

/// Warns once about a record that holds the watermark for long; answers whether it did.
fn warn_if_held_long(shard: &Shard, warned: bool) -> bool {
    let Some(held) = shard.observe().filter(|held| *held >= HELD_LONG) else {
        return false;
    };
    if !warned {
        tracing::warn!(
            target: "ruststream::kinesis",
            subscription = shard.seek().stream(),
            shard = &**shard.id(),
            held_for = ?held,
            "an unsettled record holds the shard's checkpoint; the shard replays from it when its \
             lease is next taken",
        );
    }
    true
}

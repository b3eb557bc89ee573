//! Settling the records of a shard, and writing what that moves under its lease. Imitates
//! `service::settlement`, lock for lock.

use futures::future::Either;
use tokio::sync::MutexGuard;

use super::lease::{HeldLease, Written};
use super::shard::Shard;
use super::world::Failure;
use crate::lease::SHARD_END;
use crate::rules::cursor::Cursor;
use crate::service::progress::{Holding, Ticket, Unstored};

/// A settled record that moved the watermark.
pub(super) struct Settled<'a> {
    turn: Option<(MutexGuard<'a, Option<HeldLease>>, Option<Checkpoint>)>,
    generation: u64,
    through: u64,
}

/// What is to be stored, and the generation it is of.
type Checkpoint = (Unstored, u64);

/// Why an acknowledgement is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    Lost,
    NotConnected,
    Store,
}

impl Shard {
    pub(super) fn settle(
        &self,
        ticket: Ticket,
        sequence: &str,
    ) -> Result<Option<Settled<'_>>, Refused> {
        let turn = match self.interval() {
            None => self.lease.try_lock().ok(),
            Some(_) => None,
        };
        let mut progress = self.progress();
        match progress.holding {
            Holding::Held => {}
            Holding::Lost if progress.generation() != ticket.generation => return Ok(None),
            Holding::Lost => return Err(Refused::Lost),
            Holding::Finished => return Ok(None),
            Holding::Closed => return Err(Refused::NotConnected),
        }
        let Some(moved) = progress.settle(ticket, sequence) else {
            return Ok(None);
        };
        if moved.last {
            self.reader.notify_one();
        }
        if self.interval().is_some() {
            return Ok(None);
        }
        let generation = progress.generation();
        Ok(Some(Settled {
            turn: turn.map(|lease| (lease, progress.unstored().map(|due| (due, generation)))),
            generation: ticket.generation,
            through: moved.through,
        }))
    }

    pub(super) async fn store_settled(&self, settled: Settled<'_>) -> Result<(), Refused> {
        let (mut lease, unstored) = if let Some(turn) = settled.turn {
            turn
        } else {
            let lease = self.lease.lock().await;
            let mut progress = self.progress();
            let generation = progress.generation();
            let unstored = progress.unstored_before(settled.generation, settled.through);
            (lease, unstored.map(|due| (due, generation)))
        };
        match self.store(&mut lease, unstored).await {
            Err(_) if lease.is_some() => Ok(()),
            stored => stored,
        }
    }

    pub(super) async fn store_unstored(
        &self,
        lease: &mut Option<HeldLease>,
    ) -> Result<(), Refused> {
        let (unstored, position) = {
            let mut progress = self.progress();
            if progress.finishing {
                return Ok(());
            }
            let generation = progress.generation();
            let unstored = progress.unstored().map(|due| (due, generation));
            (unstored, progress.unstored_position())
        };
        match position {
            Some((generation, position)) if unstored.is_none() => {
                self.store_position(lease, generation, &position).await
            }
            _ => self.store(lease, unstored).await,
        }
    }

    async fn store_position(
        &self,
        lease: &mut Option<HeldLease>,
        generation: u64,
        position: &Cursor,
    ) -> Result<(), Refused> {
        let Some(held) = lease.as_mut().filter(|_| !self.is_given_up()) else {
            return Err(self.refusal());
        };
        match held.keep_cursor(position, generation).await {
            Ok(Written::Stored) => {
                self.progress().position_stored(generation);
                Ok(())
            }
            Ok(Written::Fenced) => {
                self.lose(lease);
                Err(self.refusal())
            }
            Err(_) => Err(Refused::Store),
        }
    }

    pub(super) async fn keep_position(&self) -> Result<(), Refused> {
        let Ok(mut lease) = self.lease.try_lock() else {
            self.keeper.notify_one();
            return Ok(());
        };
        if lease.is_none() || self.is_given_up() {
            return Ok(());
        }
        self.store_unstored(&mut lease).await
    }

    async fn store(
        &self,
        lease: &mut Option<HeldLease>,
        unstored: Option<Checkpoint>,
    ) -> Result<(), Refused> {
        let Some((unstored, generation)) = unstored else {
            return Ok(());
        };
        let Some(held) = lease.as_mut().filter(|_| !self.is_given_up()) else {
            return Err(self.refusal());
        };
        match held.checkpoint(&unstored.sequence, generation).await {
            Ok(Written::Stored) => {
                self.progress().stored(unstored);
                Ok(())
            }
            Ok(Written::Fenced) => {
                self.lose(lease);
                Err(self.refusal())
            }
            Err(_) => Err(Refused::Store),
        }
    }

    fn refusal(&self) -> Refused {
        match self.progress().holding {
            Holding::Closed => Refused::NotConnected,
            _ => Refused::Lost,
        }
    }

    fn lose(&self, lease: &mut Option<HeldLease>) {
        *lease = None;
        self.lost("another owner took it");
    }

    pub(super) fn lost(&self, why: &str) {
        if !self.is_given_up() {
            self.host.world.count(|counts| counts.fences += 1);
            self.host.tell(|| format!("{} lost: {why}", self.id));
        }
        self.give_up(false);
    }

    pub(super) fn give_up(&self, shutdown: bool) {
        self.over(shutdown);
        self.stop();
        self.keeper.notify_one();
    }

    fn over_if_stored(&self, shutdown: bool) -> bool {
        let mut progress = self.progress();
        if !progress.finishing && progress.is_unstored() {
            return false;
        }
        progress.end_holding(shutdown);
        true
    }

    fn over(&self, shutdown: bool) {
        self.progress().end_holding(shutdown);
        self.withhold();
    }

    pub(super) async fn finish(&self, generation: u64) -> Result<Option<Written>, Failure> {
        let lease = self
            .host
            .world
            .executor
            .first(self.lease.lock(), self.interrupted());
        let Either::Left(mut lease) = lease.await else {
            return Ok(None);
        };
        if self.generation() != generation {
            return Ok(None);
        }
        let Some(held) = lease.as_mut().filter(|_| !self.is_given_up()) else {
            return Ok(Some(Written::Fenced));
        };
        self.progress().finishing = true;
        let written = held.checkpoint(SHARD_END, generation).await?;
        if self.is_given_up() {
            *lease = None;
            return Ok(Some(Written::Fenced));
        }
        match written {
            Written::Stored => {
                self.progress().holding = Holding::Finished;
                self.release(lease.take()).await;
            }
            Written::Fenced => self.lose(&mut lease),
        }
        Ok(Some(written))
    }

    pub(super) async fn close(&self, shutdown: bool) {
        let mut lease = self.lease.lock().await;
        if self.is_given_up() {
            *lease = None;
        }
        let finishing = self.progress().finishing;
        if let Some(held) = lease.as_mut().filter(|_| finishing) {
            let generation = self.progress().generation();
            if let Ok(Written::Fenced) = held.checkpoint(SHARD_END, generation).await {
                self.lose(&mut lease);
            }
        }
        while lease.is_some() {
            let stored = self.store_unstored(&mut lease).await;
            if stored.is_err() || self.over_if_stored(shutdown) {
                break;
            }
        }
        self.over(shutdown);
        self.release(lease.take()).await;
    }

    async fn release(&self, lease: Option<HeldLease>) {
        self.keeper.notify_one();
        if let Some(lease) = lease {
            // What is not released has to expire.
            let _ = lease.release().await;
        }
    }
}

//! Settling the records of a shard, and writing what that moves under its lease.
//!
//! Writes of one shard take turns. An acknowledgement that finds nobody writing calls the store
//! where it stands; those that have to wait find, more often than not, that the next write covered
//! them.

use std::sync::atomic::Ordering;

use tokio::select;
use tokio::sync::MutexGuard;

use super::held_lease::{HeldLease, Written};
use super::progress::{Holding, Ticket, Unstored};
use super::shard::Shard;
use crate::error::KinesisError;
use crate::lease::SHARD_END;
use crate::rules::cursor::Cursor;

const LOST: &str = "the lease is another owner's, or over; the record will be read again";

/// A settled record that moved the watermark.
pub(super) struct Settled<'a> {
    /// The turn to write, and what is unstored, where nobody else had it.
    turn: Option<(MutexGuard<'a, Option<HeldLease>>, Option<Unstored>)>,
    generation: u64,
    /// The ordinal a checkpoint must cover for the record to be stored.
    through: u64,
}

impl Shard {
    /// Marks a record handled; nothing where that calls for no write.
    pub(super) fn settle(
        &self,
        ticket: Ticket,
        sequence: &str,
    ) -> Result<Option<Settled<'_>>, KinesisError> {
        // Uncontended, the turn to write is there before it is known whether there is anything to.
        let turn = match self.checkpoint_interval {
            None => self.lease.try_lock().ok(),
            Some(_) => None,
        };
        let mut progress = self.progress();
        match progress.holding {
            Holding::Held => {}
            // Of before a reposition, which settled the matter.
            Holding::Lost if progress.generation() != ticket.generation => return Ok(None),
            Holding::Lost => return Err(self.lease_error(LOST)),
            Holding::Finished => return Ok(None),
            Holding::Closed => return Err(KinesisError::NotConnected),
        }
        let Some(moved) = progress.settle(ticket, sequence) else {
            return Ok(None);
        };
        if moved.last {
            self.reader.notify_one();
        }
        if self.checkpoint_interval.is_some() {
            return Ok(None);
        }
        Ok(Some(Settled {
            turn: turn.map(|lease| (lease, progress.unstored())),
            generation: ticket.generation,
            through: moved.through,
        }))
    }

    /// Stores the checkpoint a settled record calls for.
    ///
    /// With `certain`, an error means that the record is going to be read again; a store that
    /// merely failed is left to the keeper, which reports it where it goes on.
    pub(super) async fn store_settled(
        &self,
        settled: Settled<'_>,
        certain: bool,
    ) -> Result<(), KinesisError> {
        let (mut lease, unstored) = if let Some(turn) = settled.turn {
            turn
        } else {
            let lease = self.lease.lock().await;
            // Whoever wrote while this waited for its turn wrote for this record too.
            let unstored = self
                .progress()
                .unstored_before(settled.generation, settled.through);
            (lease, unstored)
        };
        match self.store(&mut lease, unstored).await {
            // The lease is still held, so the next write covers this record.
            Err(_) if certain && lease.is_some() => Ok(()),
            stored => stored,
        }
    }

    /// Passes a record by that no handler is to see; the next checkpoint covers it.
    pub(super) fn pass(&self, ticket: Ticket, sequence: &str) {
        if let Some(moved) = self.progress().settle(ticket, sequence)
            && moved.last
        {
            self.reader.notify_one();
        }
    }

    /// A record is left unhandled: the watermark stays before it.
    pub(super) fn leave(&self) -> Result<(), KinesisError> {
        match self.progress().holding {
            Holding::Closed => Err(KinesisError::NotConnected),
            _ => Ok(()),
        }
    }

    /// Stores the checkpoint of everything settled so far, or where there is none yet the position
    /// the shard was moved to, if the store does not have it.
    pub(super) async fn store_unstored(
        &self,
        lease: &mut Option<HeldLease>,
    ) -> Result<(), KinesisError> {
        let (unstored, position) = {
            let mut progress = self.progress();
            if progress.finishing {
                // The mark of the end may be stored already, whatever the store answered.
                return Ok(());
            }
            (progress.unstored(), progress.unstored_position())
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
    ) -> Result<(), KinesisError> {
        let Some(held) = lease.as_mut().filter(|_| !self.is_given_up()) else {
            return Err(self.refusal());
        };
        match held.keep_cursor(position).await {
            Ok(Written::Stored) => {
                self.progress().position_stored(generation);
                Ok(())
            }
            Ok(Written::Fenced) => {
                self.lose(lease);
                Err(self.refusal())
            }
            Err(error) => Err(self.lease_error(error)),
        }
    }

    /// Tells the store where the shard was moved to, so that a crash in the middle of a replay
    /// resumes the replay. Where the turn to write is taken, or the store fails, the keeper does.
    pub(super) async fn keep_position(&self) -> Result<(), KinesisError> {
        let Ok(mut lease) = self.lease.try_lock() else {
            self.keeper.notify_one();
            return Ok(());
        };
        if lease.is_none() || self.is_given_up() {
            // Whoever reads the shard next is told by other means.
            return Ok(());
        }
        self.store_unstored(&mut lease).await
    }

    async fn store(
        &self,
        lease: &mut Option<HeldLease>,
        unstored: Option<Unstored>,
    ) -> Result<(), KinesisError> {
        let Some(unstored) = unstored else {
            return Ok(());
        };
        let Some(held) = lease.as_mut().filter(|_| !self.is_given_up()) else {
            return Err(self.refusal());
        };
        match held.checkpoint(&unstored.sequence).await {
            Ok(Written::Stored) => {
                self.progress().stored(unstored);
                Ok(())
            }
            Ok(Written::Fenced) => {
                self.lose(lease);
                Err(self.refusal())
            }
            Err(error) => Err(self.lease_error(error)),
        }
    }

    /// Why nothing can be written any more.
    fn refusal(&self) -> KinesisError {
        match self.progress().holding {
            Holding::Closed => KinesisError::NotConnected,
            _ => self.lease_error(LOST),
        }
    }

    /// Gives the lease up without another write: it is another owner's, or over.
    fn lose(&self, lease: &mut Option<HeldLease>) {
        *lease = None;
        self.lost("another owner took it");
    }

    /// The lease ended without having been handed back.
    pub(super) fn lost(&self, why: &str) {
        if !self.is_given_up() {
            self.counts.lost_leases.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(
                target: "ruststream::kinesis",
                subscription = self.seek().stream(),
                shard = &**self.id(),
                owner = &*self.owner,
                "lease lost: {why}",
            );
        }
        self.give_up(false);
    }

    /// Writes nothing any more, whoever has the turn to write: what was delivered is read again by
    /// the next owner of the lease.
    pub(super) fn give_up(&self, shutdown: bool) {
        self.over(shutdown);
        self.stop();
        self.keeper.notify_one();
    }

    /// Ends the shard where the store has everything; answers whether it did.
    fn over_if_stored(&self, shutdown: bool) -> bool {
        let mut progress = self.progress();
        if !progress.finishing && progress.is_unstored() {
            return false;
        }
        progress.end_holding(shutdown);
        true
    }

    /// Acknowledgements fail from now on, as after a shutdown where there was one, and what was not
    /// delivered yet is not going to be.
    fn over(&self, shutdown: bool) {
        self.progress().end_holding(shutdown);
        self.withhold();
    }

    /// Marks the shard read to its end and hands the lease back; nothing where it was repositioned
    /// since `generation`, and is to be read on.
    ///
    /// # Errors
    ///
    /// [`KinesisError::Lease`] where the mark could not be stored; the lease is kept then.
    pub(super) async fn finish(&self, generation: u64) -> Result<Option<Written>, KinesisError> {
        // An acknowledgement that nobody polls any more may have the turn.
        let mut lease = select! {
            lease = self.lease.lock() => lease,
            () = self.interrupted() => return Ok(None),
        };
        if self.generation() != generation {
            return Ok(None);
        }
        let Some(held) = lease.as_mut().filter(|_| !self.is_given_up()) else {
            return Ok(Some(Written::Fenced));
        };
        self.progress().finishing = true;
        let written = held
            .checkpoint(SHARD_END)
            .await
            .map_err(|error| self.lease_error(error))?;
        if self.is_given_up() {
            // The lease is about to be another tenure's, whose release is not this one's to make.
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

    /// Stores the last checkpoint and hands the lease back. Acknowledgements fail from now on, as
    /// after a shutdown where there was one.
    pub(super) async fn close(&self, shutdown: bool) {
        let mut lease = self.lease.lock().await;
        if self.is_given_up() {
            // There is nothing to hand back.
            *lease = None;
        }
        let finishing = self.progress().finishing;
        if let Some(held) = lease.as_mut().filter(|_| finishing) {
            match held.checkpoint(SHARD_END).await {
                Ok(Written::Stored) => {}
                Ok(Written::Fenced) => self.lose(&mut lease),
                Err(error) => self.warn("the end of the shard was not stored", &error),
            }
        }
        while lease.is_some() {
            let stored = self.store_unstored(&mut lease).await;
            if let Err(error) = &stored {
                self.warn("the last checkpoint was not stored", error);
            }
            // What was acknowledged meanwhile is stored as well.
            if stored.is_err() || self.over_if_stored(shutdown) {
                break;
            }
        }
        self.over(shutdown);
        self.release(lease.take()).await;
    }

    async fn release(&self, lease: Option<HeldLease>) {
        self.keeper.notify_one();
        let Some(lease) = lease else {
            return;
        };
        match lease.release().await {
            Ok(()) => tracing::info!(
                target: "ruststream::kinesis",
                subscription = self.seek().stream(),
                shard = &**self.id(),
                owner = &*self.owner,
                "lease released",
            ),
            Err(error) => self.warn("the lease was not released and has to expire", &error),
        }
    }
}

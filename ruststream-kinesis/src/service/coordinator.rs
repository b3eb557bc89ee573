//! One subscription's coordinator: lists the shards, takes their leases, starts their readers, and
//! moves and stops them.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use futures::future::{join, join_all};
use tokio::select;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout};

use super::calls;
use super::live::{CLOSE_WITHIN, Live, close_within, drain, leave};
use super::reposition;
use super::seek::{Command, Seek};
use super::shard::Shard;
use super::shard_reader::End;
use super::sharing::Sharing;
use super::stop::{Stop, told};
use super::stream::Stream;
use super::view::{Shown, View};
use crate::clock;
use crate::error::KinesisError;
use crate::rules::backoff;
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::{Listed, ShardId};
use crate::rules::subscription::Shards;

/// How often the shards are listed where nothing asks for it sooner.
const LIST_EVERY: Duration = Duration::from_secs(10);
/// How far apart two listings are that do not show one moment of a change.
const LISTINGS_APART: Duration = Duration::from_secs(5);
/// How long the first call of a lease store may take, which may have to create its table.
const STORE_READY_WITHIN: Duration = Duration::from_mins(1);
/// The pause before a failed listing is repeated, at first.
const LIST_AGAIN: Duration = Duration::from_secs(1);
/// How many shards are taken, or moved, at once.
pub(super) const AT_ONCE: usize = 64;
pub(super) struct Coordinator {
    pub(super) stream: Arc<Stream>,
    pub(super) rules: Shards,
    pub(super) live: BTreeMap<ShardId, Live>,
    /// Shards whose lease is kept while their ancestors are read again.
    pub(super) parked: BTreeMap<ShardId, Arc<Shard>>,
    pub(super) readers: JoinSet<(Arc<Shard>, End)>,
    pub(super) stop: watch::Receiver<Stop>,
    pub(super) seek: Seek,
    pub(super) sharing: Sharing,
    commands: mpsc::Receiver<Command>,
    view: View,
    list_at: Instant,
    /// When a listing is far enough from the last one that counted to count itself.
    counts_at: Instant,
    failed_listings: u32,
    /// When the leases of others are looked at again.
    pub(super) ask_at: Instant,
}

impl Coordinator {
    pub(super) fn new(
        stream: Arc<Stream>,
        seek: Seek,
        commands: mpsc::Receiver<Command>,
        stop: watch::Receiver<Stop>,
        view: View,
    ) -> Self {
        let now = clock::now();
        Self {
            sharing: Sharing::new(Arc::clone(&stream)),
            rules: Shards::new(stream.opened_at),
            stream,
            live: BTreeMap::new(),
            parked: BTreeMap::new(),
            readers: JoinSet::new(),
            stop,
            seek,
            commands,
            view,
            list_at: now,
            counts_at: now,
            failed_listings: 0,
            ask_at: now,
        }
    }

    /// Lists the shards and takes those that are free.
    ///
    /// # Errors
    ///
    /// [`KinesisError::Stream`] where the shards cannot be listed, [`KinesisError::NotConnected`] where
    /// it is told to stop before that.
    pub(super) async fn open(&mut self) -> Result<(), KinesisError> {
        let mut stop = self.stop.clone();
        select! {
            seen = self.look_around() => seen?,
            () = told(&mut stop, Stop::Drain) => return Err(KinesisError::NotConnected),
        }
        self.take_ready().await;
        self.look_later();
        self.rules.opened();
        self.list_at = jittered_from_now(LIST_EVERY);
        Ok(())
    }

    /// Looks who and what is there, and takes nothing yet.
    async fn look_around(&mut self) -> Result<(), KinesisError> {
        // A store may have to make itself ready first.
        self.sharing.announce(STORE_READY_WITHIN).await;
        let shards = calls::list_shards(self.stream.clients.home(), &self.stream.address)
            .await
            .map_err(|failure| KinesisError::stream(&self.stream.name, failure))?;
        self.listed(shards);
        let known: Vec<_> = self.rules.known().into_iter().collect();
        self.sharing.survey(&known).await;
        if let Some(shard) = known.first().filter(|_| self.sharing.rules.sees_no_row()) {
            self.sharing.look_for_another_spelling(shard).await;
        }
        Ok(())
    }

    /// Runs until it is told to stop, and then until its shards are handed back.
    pub(super) async fn run(mut self) {
        let mut stop = self.stop.clone();
        loop {
            let ask = self.rules.elsewhere() > 0 || self.sharing.rules.is_blind();
            let (list_at, ask_at, announce_at) =
                (self.list_at, self.ask_at, self.sharing.announce_at);
            select! {
                biased;
                () = told(&mut stop, Stop::Drain) => break,
                Some(command) = self.commands.recv() => {
                    let answer = reposition::seek(&mut self, command.position).await;
                    // Who asked may be gone.
                    let _ = command.answer.send(answer);
                }
                Some(Ok((shard, end))) = self.readers.join_next(), if !self.readers.is_empty() => {
                    self.reader_ended(&shard, end);
                    self.take_ready().await;
                }
                () = sleep_until(list_at.into()) => self.list().await,
                () = sleep_until(ask_at.into()), if ask => self.look().await,
                () = sleep_until(announce_at.into()) => self.announce().await,
            }
        }
        self.wind_up(stop).await;
    }

    /// Lists again at once.
    pub(super) fn list_soon(&mut self) {
        self.list_at = clock::now();
    }

    async fn list(&mut self) {
        let listing = calls::list_shards(self.stream.clients.home(), &self.stream.address);
        let mut stop = self.stop.clone();
        let listing = select! {
            listing = listing => listing,
            () = told(&mut stop, Stop::Drain) => return,
        };
        match listing {
            Ok(shards) => {
                self.failed_listings = 0;
                self.listed(shards);
                self.list_at = jittered_from_now(LIST_EVERY);
                self.told_of_listing();
                self.take_ready().await;
            }
            Err(failure) => {
                let pause = backoff::ceiling(self.failed_listings, LIST_AGAIN, LIST_EVERY);
                self.list_at = jittered_from_now(pause);
                self.failed_listings = self.failed_listings.saturating_add(1);
                self.stream
                    .outlet
                    .report(KinesisError::stream(&self.stream.name, failure));
            }
        }
    }

    fn listed(&mut self, shards: Vec<Listed>) {
        let now = clock::now();
        let counts = now >= self.counts_at;
        if counts {
            self.counts_at = now + LISTINGS_APART;
        }
        self.rules.listed(shards, counts);
    }

    /// Takes note of readers that ended.
    pub(super) fn readers_ended(&mut self) {
        while let Some(Ok((shard, end))) = self.readers.try_join_next() {
            self.reader_ended(&shard, end);
        }
    }

    fn reader_ended(&mut self, shard: &Arc<Shard>, end: End) {
        let id = shard.id();
        // A shard that was parked and taken again has another reader by now.
        if !self
            .live
            .get(id)
            .is_some_and(|live| Arc::ptr_eq(&live.shard, shard))
        {
            return;
        }
        if end == End::Panicked
            && let Some(live) = self.live.get(id)
        {
            tracing::error!(
                target: "ruststream::kinesis",
                subscription = &*self.stream.name,
                shard = &**id,
                "the shard's reader panicked; the shard is taken anew",
            );
            // The lease is handed back before it is asked for again.
            let shard = Arc::clone(&live.shard);
            self.readers.spawn(async move {
                close_within(&shard, false).await;
                (shard, End::Stopped)
            });
            return;
        }
        if end == End::Stopped
            && let Some(live) = self.live.get(id).filter(|live| live.leaving)
            && !live.shard.is_given_up()
        {
            let leaving = leave(Arc::clone(&live.shard), self.stop.clone());
            self.readers.spawn(leaving);
            return;
        }
        let Some(live) = self.live.remove(id) else {
            return;
        };
        // Its row has changed since it was taken.
        self.sharing.rules.forget(id);
        if end == End::HandedOver && !live.shard.has_unstored_position() {
            self.handed_over(id);
            return;
        }
        // A seek that came while the reader was ending is still to be followed.
        if let Some((_, opened)) = live.shard.take_reposition() {
            self.rules.stopped(id, opened.origin(), true);
        } else if end == End::Finished {
            tracing::info!(
                target: "ruststream::kinesis",
                subscription = &*self.stream.name,
                shard = &**id,
                owner = &*self.stream.owner,
                "shard finished",
            );
            self.rules.finished(id, true);
            // Its children are listed by now, or will be at once.
            self.list_at = clock::now();
        } else {
            let wins = live.repositioned && !live.shard.has_progressed();
            self.rules.stopped(id, live.origin, wins);
        }
        self.show();
    }

    /// Stops a shard's reader and keeps its lease, for a position that reads its ancestors first.
    pub(super) fn park(&mut self, id: &ShardId, position: Cursor) {
        let Some(live) = self.live.remove(id) else {
            return;
        };
        live.shard.void(position);
        live.shard.keep_for_later();
        live.shard.stop();
        self.rules.stopped(id, live.origin, false);
        self.parked.insert(Arc::clone(id), live.shard);
    }

    /// Every shard whose lease is held.
    fn held(&self) -> impl Iterator<Item = &Arc<Shard>> {
        let read = self.live.values().map(|live| &live.shard);
        read.chain(self.parked.values())
    }

    pub(super) fn show(&self) {
        let live = self.live.values().map(|live| Arc::clone(&live.shard));
        let shown = Shown {
            stream: Arc::clone(&self.stream),
            shards: live.collect(),
            others: self.rules.not_read_here(),
            rows: self.sharing.rules.rows(),
            members: self.sharing.rules.members().map(str::to_owned).collect(),
        };
        *self.view.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
    }

    async fn wind_up(mut self, mut stop: watch::Receiver<Stop>) {
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            let _ = command.answer.send(Err(KinesisError::NotConnected));
        }
        for live in self.live.values() {
            live.shard.stop();
        }
        let ending = async { while self.readers.join_next().await.is_some() {} };
        // The others know of it before a shard is free, so that they take all there is at once. A
        // reader that marks the end of its shard may wait for the store.
        let departing = self.sharing.depart();
        let ((), ended) = join(departing, timeout(CLOSE_WITHIN, ending)).await;
        if ended.is_err() {
            self.readers.abort_all();
        }
        select! {
            () = drain(&self.live) => {}
            () = told(&mut stop, Stop::Now) => {}
        }
        let shutdown = *stop.borrow() == Stop::Shutdown;
        let closing = self.held().map(|shard| close_within(shard, shutdown));
        join_all(closing).await;
        self.live.clear();
        self.show();
    }
}

impl Drop for Coordinator {
    /// A coordinator that ends in another way than by winding up keeps no lease.
    fn drop(&mut self) {
        for shard in self.held() {
            shard.give_up(false);
        }
    }
}

/// That pause from now, moved a little so that instances fall out of step.
pub(super) fn jittered_from_now(pause: Duration) -> Instant {
    clock::now() + backoff::jittered(pause, 0.2, fastrand::u64(..))
}

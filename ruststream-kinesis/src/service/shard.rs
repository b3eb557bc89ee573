//! One shard this instance reads: what its reader, its lease and its deliveries share.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};

use super::held_lease::HeldLease;
use super::progress::{Holding, Opened, Progress};
use super::seek::Seek;
use super::stream::Counts;
use crate::clock;
use crate::error::KinesisError;
use crate::lease::LeaseError;
use crate::monitor::ShardSnapshot;
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::ShardId;

/// The generation of a shard that is given up: no page is of it.
const OVER: u64 = u64::MAX;

/// Pages of one shard that may be fetched ahead of the handlers.
const PAGES_AHEAD: usize = 2;

/// Settling, and everything else that needs the lease, is in `settlement`.
pub(crate) struct Shard {
    id: ShardId,
    /// The name the lease is held under.
    pub(super) owner: Arc<str>,
    pub(super) counts: Arc<Counts>,
    seek: Seek,
    pub(super) checkpoint_interval: Option<Duration>,
    progress: Mutex<Progress>,
    /// The one writer at a time, with the proof it writes with; nothing once the lease is gone.
    pub(super) lease: tokio::sync::Mutex<Option<HeldLease>>,
    /// The generation of the progress, for who only wants to know whether a page is stale.
    generation: AtomicU64,
    stopping: AtomicBool,
    unlisted: AtomicBool,
    /// Whether its lease is kept while its ancestors are read again.
    kept_for_later: AtomicBool,
    /// Wakes the reader: a reposition, a stop, the last settlement of an ended shard.
    pub(super) reader: Notify,
    /// Wakes the keeper, which has nothing to renew once the lease is gone.
    pub(super) keeper: Notify,
    /// Wakes who waits for the last delivery to be gone.
    pub(super) idle: Notify,
    pub(super) pages_ahead: Arc<Semaphore>,
}

impl Shard {
    pub(crate) fn new(
        id: ShardId,
        seek: Seek,
        checkpoint_interval: Option<Duration>,
        lease: HeldLease,
        counts: Arc<Counts>,
    ) -> Self {
        Self {
            id,
            owner: lease.owner(),
            counts,
            seek,
            checkpoint_interval,
            progress: Mutex::default(),
            lease: tokio::sync::Mutex::new(Some(lease)),
            generation: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
            unlisted: AtomicBool::new(false),
            kept_for_later: AtomicBool::new(false),
            reader: Notify::new(),
            keeper: Notify::new(),
            idle: Notify::new(),
            pages_ahead: Arc::new(Semaphore::new(PAGES_AHEAD)),
        }
    }

    pub(crate) const fn id(&self) -> &ShardId {
        &self.id
    }

    pub(crate) const fn seek(&self) -> &Seek {
        &self.seek
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        // No holder panics half way: every change is a few assignments.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells what checkpoint the row held when the lease was taken.
    pub(super) fn found(&self, checkpoint: Option<String>) {
        self.progress().found(checkpoint);
    }

    // The reader's side.

    /// Gives `records` their ordinals and answers the first; nothing where the shard was
    /// repositioned since `generation`, and the page is stale.
    pub(super) fn admit(&self, generation: u64, records: usize) -> Option<u64> {
        self.progress()
            .admit(generation, records as u64, clock::now())
    }

    pub(super) fn read_behind(&self, millis: u64) {
        self.progress().last_read = Some((Duration::from_millis(millis), clock::now()));
    }

    /// The iterator of a seek the reader has not seen yet, with the generation it belongs to.
    pub(super) fn take_reposition(&self) -> Option<(u64, Opened)> {
        let mut progress = self.progress();
        let opened = progress.reposition.take()?;
        Some((progress.generation(), opened))
    }

    /// Takes in whether the listings leave the shard out.
    pub(super) fn listed(&self, unlisted: bool) {
        self.unlisted.store(unlisted, Ordering::Relaxed);
    }

    pub(super) fn is_unlisted(&self) -> bool {
        self.unlisted.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Tells that the shard was read to its end, and whether everything is settled already.
    pub(super) fn ended(&self, generation: u64) -> bool {
        self.progress().end(generation)
    }

    /// Whether a checkpoint was stored since the reader opened or was last repositioned.
    pub(super) fn has_progressed(&self) -> bool {
        self.progress().progressed()
    }

    /// Whether the store is still to be told where the shard was moved to.
    pub(super) fn has_unstored_position(&self) -> bool {
        self.progress().has_unstored_position()
    }

    /// Waits for a reposition, a stop, or the last settlement of a shard that ended.
    pub(super) async fn reader_wake(&self) {
        self.reader.notified().await;
    }

    /// Waits for a reposition or a stop.
    pub(super) async fn interrupted(&self) {
        while !self.is_stopping() && self.progress().reposition.is_none() {
            self.reader.notified().await;
        }
    }

    /// Waits until the lease is gone.
    pub(super) async fn keeper_wake(&self) {
        self.keeper.notified().await;
    }

    // The subscription's side.

    /// Whether what was read under `generation` may still be delivered.
    pub(super) fn delivers(&self, generation: u64) -> bool {
        self.generation() == generation && !self.is_stopping()
    }

    /// Counts a block whose first record is delivered; `false` where nothing of it may be.
    pub(super) fn begin_block(&self, generation: u64) -> bool {
        let mut progress = self.progress();
        // Under the lock, so that who drains a stopped shard misses no delivery.
        let delivers = self.delivers(generation);
        if delivers {
            progress.begin_block();
        }
        delivers
    }

    pub(super) fn end_block(&self) {
        let mut progress = self.progress();
        progress.end_block();
        if progress.is_idle() {
            self.idle.notify_waiters();
        }
    }

    // The coordinator's side.

    /// Moves the shard to where `opened` reads: what was delivered before moves nothing any more.
    pub(super) fn reposition(&self, opened: Opened) {
        self.restart(opened.origin(), Some(opened));
        self.reader.notify_one();
    }

    /// Voids what was delivered, for a shard that is to be read later from `position`.
    pub(super) fn void(&self, position: Cursor) {
        self.restart(position, None);
        self.keeper.notify_one();
    }

    /// Keeps what was fetched and not delivered from being delivered: no page is of this generation.
    pub(super) fn withhold(&self) {
        self.generation.store(OVER, Ordering::Release);
    }

    /// Whether this process writes nothing for the shard any more, which never changes back.
    pub(super) fn is_given_up(&self) -> bool {
        // A generation no page is of stands for it, so that asking takes no lock.
        self.generation() == OVER
    }

    fn restart(&self, position: Cursor, opened: Option<Opened>) {
        let mut progress = self.progress();
        progress.restart(position);
        progress.reposition = opened;
        if progress.holding == Holding::Held {
            self.generation
                .store(progress.generation(), Ordering::Release);
        }
    }

    /// Tells the reader to stop; the lease stays until [`close`](Self::close).
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        self.reader.notify_one();
    }

    /// Keeps the lease though the reader stops.
    pub(super) fn keep_for_later(&self) {
        self.kept_for_later.store(true, Ordering::Release);
    }

    pub(super) fn is_kept_for_later(&self) -> bool {
        self.kept_for_later.load(Ordering::Acquire)
    }

    /// Waits until every delivery is settled or dropped, once the shard is told to stop.
    pub(super) async fn drained(&self) {
        loop {
            let idle = self.idle.notified();
            if self.progress().is_idle() {
                return;
            }
            idle.await;
        }
    }

    /// Looks how long the oldest unsettled record has been held, and answers that time.
    pub(super) fn observe(&self) -> Option<Duration> {
        let now = clock::now();
        let mut progress = self.progress();
        progress.observe(now);
        progress.held_for(now)
    }

    pub(super) fn snapshot(&self) -> ShardSnapshot {
        let now = clock::now();
        let progress = self.progress();
        ShardSnapshot {
            shard: self.id.to_string(),
            checkpoint: progress.checkpoint().map(str::to_owned),
            behind: progress.last_read.map(|(behind, _)| behind),
            read_ago: progress
                .last_read
                .map(|(_, at)| now.saturating_duration_since(at)),
            unsettled: progress.unsettled(),
            held_for: progress.held_for(now),
        }
    }

    pub(super) fn lease_error(&self, source: impl Into<LeaseError>) -> KinesisError {
        KinesisError::lease(self.seek.stream(), &self.id, source)
    }

    pub(super) fn warn(&self, what: &str, error: &impl fmt::Display) {
        tracing::warn!(
            target: "ruststream::kinesis",
            subscription = self.seek.stream(),
            shard = &*self.id,
            %error,
            "{what}",
        );
    }
}

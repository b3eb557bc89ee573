//! One shard an instance reads. Imitates `service::shard`; settling is in
//! `settlement`.

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Notify, Semaphore};

use super::host::Host;
use super::lease::HeldLease;
use super::writes::place_of;
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::ShardId;
use crate::service::progress::{Holding, Opened, Progress};

/// The generation of a shard that is given up.
const OVER: u64 = u64::MAX;
const PAGES_AHEAD: usize = 2;

pub(super) struct Shard {
    pub(super) host: Rc<Host>,
    pub(super) id: ShardId,
    /// What the oracle knows its lease by.
    pub(super) tenure: u64,
    progress: RefCell<Progress>,
    pub(super) lease: Mutex<Option<HeldLease>>,
    generation: Cell<u64>,
    stopping: Cell<bool>,
    unlisted: Cell<bool>,
    kept_for_later: Cell<bool>,
    pub(super) reader: Notify,
    pub(super) keeper: Notify,
    idle: Notify,
    pub(super) pages_ahead: Arc<Semaphore>,
}

impl Shard {
    pub(super) fn new(host: &Rc<Host>, id: ShardId, lease: HeldLease) -> Self {
        Self {
            host: Rc::clone(host),
            id,
            tenure: lease.tenure(),
            progress: RefCell::default(),
            lease: Mutex::new(Some(lease)),
            generation: Cell::new(0),
            stopping: Cell::new(false),
            unlisted: Cell::new(false),
            kept_for_later: Cell::new(false),
            reader: Notify::new(),
            keeper: Notify::new(),
            idle: Notify::new(),
            pages_ahead: Arc::new(Semaphore::new(PAGES_AHEAD)),
        }
    }

    pub(super) fn progress(&self) -> RefMut<'_, Progress> {
        self.progress.borrow_mut()
    }

    pub(super) fn interval(&self) -> Option<Duration> {
        self.host.world.scenario.checkpoint_interval
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.get()
    }

    // The reader's side.

    pub(super) fn admit(&self, generation: u64, records: usize) -> Option<u64> {
        let now = self.host.now();
        self.progress().admit(generation, records as u64, now)
    }

    pub(super) fn listed(&self, unlisted: bool) {
        self.unlisted.set(unlisted);
    }

    pub(super) fn is_unlisted(&self) -> bool {
        self.unlisted.get()
    }

    pub(super) fn take_reposition(&self) -> Option<(u64, Opened)> {
        let mut progress = self.progress();
        let opened = progress.reposition.take()?;
        Some((progress.generation(), opened))
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.get()
    }

    pub(super) fn ended(&self, generation: u64) -> bool {
        self.progress().end(generation)
    }

    pub(super) fn has_progressed(&self) -> bool {
        self.progress().progressed()
    }

    pub(super) fn has_unstored_position(&self) -> bool {
        self.progress().has_unstored_position()
    }

    pub(super) async fn interrupted(&self) {
        while !self.is_stopping() && self.progress().reposition.is_none() {
            self.reader.notified().await;
        }
    }

    // The subscription's side.

    pub(super) fn delivers(&self, generation: u64) -> bool {
        self.generation() == generation && !self.is_stopping()
    }

    pub(super) fn begin_block(&self, generation: u64) -> bool {
        let delivers = self.delivers(generation);
        if delivers {
            self.progress().begin_block();
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

    pub(super) fn reposition(&self, opened: Opened) {
        let place = self.host.world.stream.borrow().place(&opened.iterator).1;
        self.restart(opened.origin(), Some(opened), Some(place));
        self.reader.notify_one();
    }

    pub(super) fn void(&self, position: Cursor) {
        self.restart(position, None, None);
        self.keeper.notify_one();
    }

    pub(super) fn withhold(&self) {
        self.generation.set(OVER);
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.generation() == OVER
    }

    /// Begins a generation; the oracle is told where its iterator stands, if it has one.
    fn restart(&self, position: Cursor, opened: Option<Opened>, place: Option<usize>) {
        let mut progress = self.progress();
        self.tell_oracle(progress.generation() + 1, &position, place);
        progress.restart(position);
        progress.reposition = opened;
        if progress.holding == Holding::Held {
            self.generation.set(progress.generation());
        }
    }

    fn tell_oracle(&self, generation: u64, position: &Cursor, place: Option<usize>) {
        let world = &self.host.world;
        let stream = world.stream.borrow();
        let shard = stream.index(&self.id);
        let low = place_of(&stream, shard, position);
        let place = place.unwrap_or(low);
        let mut oracle = world.oracle.borrow_mut();
        let epoch = oracle.next_epoch(shard);
        let next = (low.min(place), place);
        oracle.begins(self.tenure, generation, epoch, next, world.now());
        oracle.skipped(&stream, shard, place);
    }

    pub(super) fn stop(&self) {
        self.stopping.set(true);
        self.reader.notify_one();
    }

    pub(super) fn keep_for_later(&self) {
        self.kept_for_later.set(true);
    }

    pub(super) fn is_kept_for_later(&self) -> bool {
        self.kept_for_later.get()
    }

    pub(super) async fn drained(&self) {
        loop {
            let idle = self.idle.notified();
            if self.progress().is_idle() {
                return;
            }
            idle.await;
        }
    }

    pub(super) fn observe(&self) -> Option<Duration> {
        let now = self.host.now();
        let mut progress = self.progress();
        progress.observe(now);
        progress.held_for(now)
    }
}

//! One subscription's coordinator. Imitates `service::coordinator` and `service::live`.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::{Either, join, join_all};
use tokio::select;
use tokio::sync::mpsc;

use super::executor::TaskId;
use super::host::Host;
use super::kinesis::Listing;
use super::reader::End;
use super::reposition::{self, Command};
use super::shard::Shard;
use super::sharing::Sharing;
use super::stop::{Stop, Stopping, told};
use super::world::Failure;
use crate::rules::backoff;
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::{Listed, ShardId};
use crate::rules::subscription::Shards;

const LIST_EVERY: Duration = Duration::from_secs(10);
const LISTINGS_APART: Duration = Duration::from_secs(5);
const STORE_READY_WITHIN: Duration = Duration::from_mins(1);
const LIST_AGAIN: Duration = Duration::from_secs(1);
pub(super) const AT_ONCE: usize = 64;
const DRAIN_WITHIN: Duration = Duration::from_secs(5);
const LEAVE_WITHIN: Duration = Duration::from_secs(10);
const CLOSE_WITHIN: Duration = Duration::from_secs(3);

pub(super) struct Live {
    pub(super) shard: Rc<Shard>,
    pub(super) origin: Cursor,
    pub(super) repositioned: bool,
    pub(super) leaving: bool,
}

/// The readers that run. Stands for the service's `JoinSet`.
pub(super) struct Readers {
    host: Rc<Host>,
    ended: mpsc::UnboundedReceiver<(Rc<Shard>, End)>,
    ending: mpsc::UnboundedSender<(Rc<Shard>, End)>,
    tasks: Vec<TaskId>,
    running: usize,
}

impl Readers {
    fn new(host: &Rc<Host>) -> Self {
        let (ending, ended) = mpsc::unbounded_channel();
        Self {
            host: Rc::clone(host),
            ended,
            ending,
            tasks: Vec::new(),
            running: 0,
        }
    }

    pub(super) fn spawn(&mut self, shard: Rc<Shard>, reading: impl Future<Output = End> + 'static) {
        let ending = self.ending.clone();
        self.running += 1;
        self.tasks.push(self.host.spawn(async move {
            let end = reading.await;
            // A coordinator that is gone does not ask.
            let _ = ending.send((shard, end));
        }));
    }

    async fn join_next(&mut self) -> Option<(Rc<Shard>, End)> {
        if self.running == 0 {
            return None;
        }
        let ended = self.ended.recv().await;
        self.running -= 1;
        ended
    }

    fn try_join_next(&mut self) -> Option<(Rc<Shard>, End)> {
        let ended = self.ended.try_recv().ok()?;
        self.running -= 1;
        Some(ended)
    }

    fn abort_all(&mut self) {
        for task in self.tasks.drain(..) {
            self.host.world.executor.abort(task);
        }
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.abort_all();
    }
}

pub(super) struct Coordinator {
    pub(super) host: Rc<Host>,
    pub(super) rules: Shards,
    pub(super) live: BTreeMap<ShardId, Live>,
    pub(super) parked: BTreeMap<ShardId, Rc<Shard>>,
    pub(super) readers: Readers,
    pub(super) stop: Stopping,
    pub(super) sharing: Sharing,
    commands: mpsc::Receiver<Command>,
    list_at: Instant,
    counts_at: Instant,
    failed_listings: u32,
    pub(super) ask_at: Instant,
}

impl Coordinator {
    pub(super) fn new(host: &Rc<Host>, commands: mpsc::Receiver<Command>) -> Self {
        let now = host.now();
        Self {
            sharing: Sharing::new(host),
            rules: Shards::new(host.opened_at.get()),
            live: BTreeMap::new(),
            parked: BTreeMap::new(),
            readers: Readers::new(host),
            stop: host.stop.clone(),
            commands,
            list_at: now,
            counts_at: now,
            failed_listings: 0,
            ask_at: now,
            host: Rc::clone(host),
        }
    }

    pub(super) async fn open(&mut self) -> Result<(), Failure> {
        let (host, stop) = (Rc::clone(&self.host), self.stop.clone());
        let looking = host
            .world
            .executor
            .first(self.look_around(), told(&stop, Stop::Drain));
        match looking.await {
            Either::Left(seen) => seen?,
            Either::Right(()) => return Err(Failure::NotFound),
        }
        self.take_ready().await;
        self.look_later();
        self.rules.opened();
        self.list_at = self.jittered_from_now(LIST_EVERY);
        Ok(())
    }

    async fn look_around(&mut self) -> Result<(), Failure> {
        self.sharing.announce(STORE_READY_WITHIN).await;
        let shards = self.host.list_shards(Listing::Opening).await?;
        self.listed(shards);
        let known: Vec<_> = self.rules.known().into_iter().collect();
        self.sharing.survey(&known).await;
        Ok(())
    }

    pub(super) async fn run(mut self) {
        let stop = self.stop.clone();
        loop {
            let ask = self.rules.elsewhere() > 0 || self.sharing.rules.is_blind();
            let (list_at, ask_at, announce_at) =
                (self.list_at, self.ask_at, self.sharing.announce_at);
            let host = Rc::clone(&self.host);
            select! {
                biased;
                () = told(&stop, Stop::Drain) => break,
                Some(command) = self.commands.recv() => {
                    let answer = reposition::seek(&mut self, command.position).await;
                    let _ = command.answer.send(answer);
                }
                Some((shard, end)) = self.readers.join_next() => {
                    self.reader_ended(&shard, end);
                    self.take_ready().await;
                }
                () = host.sleep_until(list_at) => self.list().await,
                () = host.sleep_until(ask_at), if ask => self.look().await,
                () = host.sleep_until(announce_at) => self.announce().await,
            }
        }
        self.wind_up(stop).await;
    }

    pub(super) fn list_soon(&mut self) {
        self.list_at = self.host.now();
    }

    async fn list(&mut self) {
        let stop = self.stop.clone();
        let host = Rc::clone(&self.host);
        let executor = &host.world.executor;
        let listing = executor.first(host.list_shards(Listing::Again), told(&stop, Stop::Drain));
        let Either::Left(listing) = listing.await else {
            return;
        };
        if let Ok(shards) = listing {
            self.failed_listings = 0;
            self.listed(shards);
            self.list_at = self.jittered_from_now(LIST_EVERY);
            self.told_of_listing();
            self.take_ready().await;
        } else {
            let pause = backoff::ceiling(self.failed_listings, LIST_AGAIN, LIST_EVERY);
            self.list_at = self.jittered_from_now(pause);
            self.failed_listings = self.failed_listings.saturating_add(1);
        }
    }

    fn listed(&mut self, shards: Vec<Listed>) {
        let now = self.host.now();
        let counts = now >= self.counts_at;
        if counts {
            self.counts_at = now + LISTINGS_APART;
        }
        self.rules.listed(shards, counts);
    }

    pub(super) fn readers_ended(&mut self) {
        while let Some((shard, end)) = self.readers.try_join_next() {
            self.reader_ended(&shard, end);
        }
    }

    fn reader_ended(&mut self, shard: &Rc<Shard>, end: End) {
        let id = &shard.id;
        let live = self.live.get(id);
        let Some(live) = live.filter(|live| Rc::ptr_eq(&live.shard, shard)) else {
            return;
        };
        if end == End::Stopped && live.leaving && !live.shard.is_given_up() {
            let leaving = leave(Rc::clone(shard), self.stop.clone());
            self.readers.spawn(Rc::clone(shard), leaving);
            return;
        }
        let Some(live) = self.live.remove(id) else {
            return;
        };
        self.sharing.rules.forget(id);
        if end == End::HandedOver && !live.shard.has_unstored_position() {
            self.handed_over(id);
            return;
        }
        if let Some((_, opened)) = live.shard.take_reposition() {
            self.rules.stopped(id, opened.origin(), true);
        } else if end == End::Finished {
            self.host.tell(|| format!("{id} finished"));
            self.rules.finished(id, true);
            self.list_at = self.host.now();
        } else {
            let wins = live.repositioned && !live.shard.has_progressed();
            self.rules.stopped(id, live.origin, wins);
        }
        self.show();
    }

    pub(super) fn park(&mut self, id: &ShardId, position: Cursor) {
        let Some(live) = self.live.remove(id) else {
            return;
        };
        self.host.world.count(|counts| counts.parked += 1);
        live.shard.void(position);
        live.shard.keep_for_later();
        live.shard.stop();
        self.rules.stopped(id, live.origin, false);
        self.parked.insert(Arc::clone(id), live.shard);
    }

    fn held(&self) -> impl Iterator<Item = &Rc<Shard>> {
        let read = self.live.values().map(|live| &live.shard);
        read.chain(self.parked.values())
    }

    pub(super) fn show(&self) {
        let live = self.live.values().map(|live| Rc::clone(&live.shard));
        *self.host.shown.borrow_mut() = live.collect();
    }

    async fn wind_up(mut self, stop: Stopping) {
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            let _ = command.answer.send(Err(Failure::NotFound));
        }
        for live in self.live.values() {
            live.shard.stop();
        }
        let readers = &mut self.readers;
        let ending = async { while readers.join_next().await.is_some() {} };
        let ended = self.host.timeout(CLOSE_WITHIN, ending);
        let ((), ended) = join(self.sharing.depart(), ended).await;
        if ended.is_none() {
            self.readers.abort_all();
        }
        let drained = join_all(self.live.values().map(|live| live.shard.drained()));
        select! {
            biased;
            _ = self.host.timeout(DRAIN_WITHIN, drained) => {}
            () = told(&stop, Stop::Now) => {}
        }
        let shutdown = stop.stop() == Stop::Shutdown;
        join_all(self.held().map(|shard| close_within(shard, shutdown))).await;
        self.live.clear();
        self.show();
    }

    pub(super) fn jittered_from_now(&self, pause: Duration) -> Instant {
        self.host.now() + backoff::jittered(pause, 0.2, self.host.random())
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        for shard in self.held() {
            shard.give_up(false);
        }
    }
}

pub(super) async fn surrender(shard: &Shard) {
    shard.give_up(false);
    let lease = shard.lease.lock();
    if let Some(mut lease) = shard.host.timeout(CLOSE_WITHIN, lease).await {
        *lease = None;
    }
}

async fn leave(shard: Rc<Shard>, stop: Stopping) -> End {
    let drained = async {
        let drained = shard.drained();
        shard.host.timeout(LEAVE_WITHIN, drained).await
    };
    let executor = &shard.host.world.executor;
    let told = told(&stop, Stop::Drain);
    if let Either::Right(()) = executor.first(drained, told).await {
        return End::Stopped;
    }
    if shard.is_kept_for_later() || shard.is_given_up() {
        return End::Stopped;
    }
    close_within(&shard, false).await;
    End::HandedOver
}

async fn close_within(shard: &Shard, shutdown: bool) {
    let closed = shard.host.timeout(CLOSE_WITHIN, shard.close(shutdown));
    if closed.await.is_none() {
        shard.give_up(shutdown);
    }
}

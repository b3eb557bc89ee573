//! Reads one shard: does what the rules say, and tells them what came of it. Imitates
//! `service::shard_reader`.

use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use futures::future::Either;
use futures::poll;
use tokio::select;

use super::host::Host;
use super::lease::Written;
use super::page::Page;
use super::shard::Shard;
use super::stream::{PAGE_BYTES, sequence_of};
use super::world::Failure;
use crate::rules::cursor::Cursor;
use crate::rules::reader::{Action, Note, Reader, Refusal};
use crate::service::budget::Reservation;
use crate::service::progress::Opened;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Finished,
    Stopped,
    HandedOver,
}

pub(super) struct ShardReader {
    host: Rc<Host>,
    shard: Rc<Shard>,
    rules: Reader,
    generation: u64,
}

impl ShardReader {
    pub(super) fn new(shard: &Rc<Shard>, opened: Opened) -> Self {
        let poll = shard.host.world.scenario.poll_interval;
        Self {
            host: Rc::clone(&shard.host),
            shard: Rc::clone(shard),
            rules: Reader::new(opened.cursor, opened.iterator, opened.made_at, poll),
            generation: shard.generation(),
        }
    }

    pub(super) async fn run(mut self) -> End {
        let shard = Rc::clone(&self.shard);
        let world = Rc::clone(&self.host.world);
        loop {
            if shard.is_stopping() {
                return End::Stopped;
            }
            if let Some((generation, opened)) = shard.take_reposition() {
                self.generation = generation;
                self.rules
                    .repositioned(opened.cursor, opened.iterator, opened.made_at);
            }
            // A select of the service begins anywhere: so does this one.
            match self.rules.action(self.host.now()) {
                Action::Wait(until) => {
                    let sleep = self.host.sleep_until(until);
                    world.executor.first(sleep, shard.interrupted()).await;
                }
                Action::Open(cursor) => {
                    let opening = self.open(cursor);
                    world.executor.first(opening, shard.interrupted()).await;
                }
                Action::Read(iterator) => {
                    let reading = self.read(&iterator);
                    let read = world.executor.first(reading, shard.interrupted()).await;
                    if matches!(read, Either::Left(false)) {
                        return End::Stopped;
                    }
                }
                Action::End => {
                    if let Some(end) = self.end().await {
                        return end;
                    }
                }
            }
        }
    }

    async fn open(&mut self, cursor: Cursor) {
        match self.host.shard_iterator(&self.shard.id, &cursor).await {
            Ok(made) => self.rules.opened(made.token, made.made_at),
            Err(failure) => {
                let (now, random) = (self.host.now(), self.host.random());
                let note = self.rules.not_opened(self.refusal(failure), now, random);
                if note == Note::RestartedAtHorizon {
                    self.host.world.count(|counts| counts.horizon_restarts += 1);
                }
            }
        }
    }

    async fn read(&mut self, iterator: &str) -> bool {
        let mut polled = self.host.polled.subscribe();
        if polled.wait_for(|polled| *polled).await.is_err() {
            return false;
        }
        let Ok(ahead) = Arc::clone(&self.shard.pages_ahead).acquire_owned().await else {
            return false;
        };
        let reservation = self.reserve_page().await;
        self.rules.read_started(self.host.now());
        match self.host.get_records(iterator, self.shard.tenure).await {
            Ok(page) => {
                let bytes = {
                    let stream = self.host.world.stream.borrow();
                    let bytes = page.records.iter().map(|record| stream.log[*record].bytes);
                    bytes.sum()
                };
                let last = page.records.last().map(|record| sequence_of(*record));
                self.rules.page(
                    self.host.now(),
                    last.as_deref(),
                    page.next,
                    bytes,
                    page.behind > 0,
                );
                if page.records.is_empty() {
                    return true;
                }
                let records = page.records.len();
                let Some(first) = self.shard.admit(self.generation, records) else {
                    return true;
                };
                let page = Page::new(
                    &self.shard,
                    self.generation,
                    first,
                    page.records,
                    reservation,
                    ahead,
                );
                self.check_budget();
                self.host.outlet.send(page).await.is_ok()
            }
            Err(failure) => {
                self.failed(failure);
                true
            }
        }
    }

    async fn reserve_page(&self) -> Reservation {
        let mut reserving = pin!(self.host.budget.reserve_page());
        if let Poll::Ready(reservation) = poll!(&mut reserving) {
            return reservation;
        }
        self.host.world.count(|counts| counts.budget_waits += 1);
        reserving.await
    }

    /// A budget smaller than a page admits one page at a time.
    fn check_budget(&self) {
        let world = &self.host.world;
        let page = usize::try_from(PAGE_BYTES).expect("small") * 2;
        let (budget, buffered) = (world.scenario.budget, self.host.buffered.get());
        if buffered > budget.max(page) {
            world.broken(|| format!("{} buffers {buffered} of {budget} bytes", self.host.owner));
        }
    }

    fn failed(&mut self, failure: Failure) {
        let (now, random) = (self.host.now(), self.host.random());
        let world = &self.host.world;
        if matches!(failure, Failure::Expired) {
            world.count(|counts| counts.expired_iterators += 1);
            self.rules.iterator_gone(now);
            return;
        }
        let refusal = self.refusal(failure);
        if refusal != Refusal::NoSuchPlace {
            world.count(|counts| counts.throttled_reads += 1);
        }
        self.rules.read_failed(refusal, now, random);
    }

    fn refusal(&self, failure: Failure) -> Refusal {
        if matches!(failure, Failure::NotFound) && self.shard.is_unlisted() {
            return Refusal::Gone;
        }
        failure.refusal()
    }

    async fn end(&self) -> Option<End> {
        if !self.shard.ended(self.generation) {
            self.shard.reader.notified().await;
            return None;
        }
        match self.shard.finish(self.generation).await {
            Ok(Some(Written::Stored)) => Some(End::Finished),
            Ok(Some(Written::Fenced)) => Some(End::Stopped),
            Ok(None) => None,
            Err(_) => {
                let again = self.host.now() + self.host.world.scenario.timings.renew_every;
                select! {
                    biased;
                    () = self.host.sleep_until(again) => {}
                    () = self.shard.interrupted() => {}
                }
                None
            }
        }
    }
}

//! Reads one shard: does what the rules say, and tells them what came of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aws_sdk_kinesis::operation::get_records::GetRecordsOutput;
use tokio::select;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep_until;

use super::block::Undelivered;
use super::budget::Reservation;
use super::calls;
use super::held_lease::Written;
use super::page::Page;
use super::progress::Opened;
use super::shard::Shard;
use super::stream::Stream;
use crate::clock;
use crate::error::KinesisError;
use crate::rules::cursor::Cursor;
use crate::rules::reader::{Action, Note, Reader, Refusal};
use crate::sdk_error::{Failure, Kind};

/// How a reader ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The shard is read to its end, and so marked.
    Finished,
    /// The reader was told to stop, or its lease is gone.
    Stopped,
    /// The shard was handed back, for another instance to read.
    HandedOver,
    /// The reader is broken: its lease is to be given back, and the shard taken anew.
    Panicked,
}

/// The reader of one shard.
pub(super) struct ShardReader {
    stream: Arc<Stream>,
    shard: Arc<Shard>,
    rules: Reader,
    generation: u64,
}

impl ShardReader {
    pub(super) fn new(stream: Arc<Stream>, shard: Arc<Shard>, opened: Opened) -> Self {
        let rules = Reader::new(
            opened.cursor,
            opened.iterator,
            opened.made_at,
            stream.poll_interval,
        );
        Self {
            generation: shard.generation(),
            stream,
            shard,
            rules,
        }
    }

    /// Reads until the end of the shard, of the lease, or of the subscription.
    pub(super) async fn run(mut self) -> End {
        let shard = Arc::clone(&self.shard);
        loop {
            if shard.is_stopping() {
                return End::Stopped;
            }
            if let Some((generation, opened)) = shard.take_reposition() {
                self.generation = generation;
                self.rules
                    .repositioned(opened.cursor, opened.iterator, opened.made_at);
            }
            match self.rules.action(clock::now()) {
                Action::Wait(until) => select! {
                    () = sleep_until(until.into()) => {}
                    () = shard.interrupted() => {}
                },
                Action::Open(cursor) => select! {
                    () = self.open(cursor) => {}
                    () = shard.interrupted() => {}
                },
                Action::Read(iterator) => select! {
                    more = self.read(&iterator) => if !more {
                        return End::Stopped;
                    },
                    () = shard.interrupted() => {}
                },
                Action::End => {
                    if let Some(end) = self.end().await {
                        return end;
                    }
                }
            }
        }
    }

    async fn open(&mut self, cursor: Cursor) {
        let made = calls::shard_iterator(
            self.stream.clients.home(),
            &self.stream.address,
            self.shard.id(),
            &cursor,
        )
        .await;
        match made {
            Ok(iterator) => {
                self.stream.counts.rewinds.fetch_add(1, Ordering::Relaxed);
                self.rules.opened(iterator.token, iterator.made_at);
            }
            Err(failure) => {
                self.stream.counts.throttled(&failure);
                let (now, random) = (clock::now(), fastrand::u64(..));
                match self.rules.not_opened(self.refusal(&failure), now, random) {
                    Note::RestartedAtHorizon => {
                        self.stream.warn_of_gap(self.shard.id(), &cursor, &failure);
                    }
                    note => self.note(note, failure),
                }
            }
        }
    }

    /// Reads one page and hands it over; `false` once nobody reads the subscription any more.
    async fn read(&mut self, iterator: &str) -> bool {
        let limit = self.stream.read_limit().await;
        let Ok(ahead) = Arc::clone(&self.shard.pages_ahead).acquire_owned().await else {
            return false;
        };
        let reservation = self.stream.budget.reserve_page().await;
        self.rules.read_started(clock::now());
        let answer = calls::get_records(
            self.stream.clients.reads(),
            &self.stream.address,
            iterator,
            limit,
        )
        .await;
        match answer {
            Ok(page) => self.page(page, ahead, reservation).await,
            Err(failure) => {
                self.failed(failure);
                true
            }
        }
    }

    async fn page(
        &mut self,
        page: GetRecordsOutput,
        ahead: OwnedSemaphorePermit,
        reservation: Reservation,
    ) -> bool {
        let behind = page.millis_behind_latest.unwrap_or(0).max(0).unsigned_abs();
        self.shard.read_behind(behind);
        let bytes = page
            .records
            .iter()
            .map(|record| record.data.as_ref().len() as u64)
            .sum();
        let last = page.records.last().map(|record| &*record.sequence_number);
        self.rules.page(
            clock::now(),
            last,
            page.next_shard_iterator,
            bytes,
            behind > 0,
        );
        if page.records.is_empty() {
            return true;
        }
        let records = page.records.len();
        let Some(first) = self.shard.admit(self.generation, records) else {
            return true;
        };
        let page = Page::new(
            Arc::clone(&self.shard),
            self.generation,
            first,
            Undelivered::pack(page.records, reservation),
            ahead,
        );
        self.stream.outlet.hand_over(page).await
    }

    fn failed(&mut self, failure: Failure) {
        self.stream.counts.throttled(&failure);
        let (now, random) = (clock::now(), fastrand::u64(..));
        if failure.kind() == Kind::Expired {
            self.rules.iterator_gone(now);
            return;
        }
        let note = self.rules.read_failed(self.refusal(&failure), now, random);
        self.note(note, failure);
    }

    /// A shard that the service does not have is gone where the listings say so too; otherwise it is
    /// the stream that is being deleted.
    fn refusal(&self, failure: &Failure) -> Refusal {
        if failure.kind() == Kind::NotFound && self.shard.is_unlisted() {
            return Refusal::Gone;
        }
        failure.refusal()
    }

    fn note(&self, note: Note, failure: Failure) {
        match note {
            Note::Throttled => tracing::debug!(
                target: "ruststream::kinesis",
                subscription = &*self.stream.name,
                shard = &**self.shard.id(),
                "the service throttles the shard",
            ),
            Note::Report => self.stream.outlet.report(KinesisError::read(
                &self.stream.name,
                self.shard.id(),
                failure,
            )),
            Note::Gone => tracing::info!(
                target: "ruststream::kinesis",
                subscription = &*self.stream.name,
                shard = &**self.shard.id(),
                "the shard aged out of the stream while it was read",
            ),
            Note::Quiet | Note::RestartedAtHorizon => {}
        }
    }

    /// Waits for the last settlement and marks the shard; nothing where the reader goes on.
    async fn end(&self) -> Option<End> {
        if !self.shard.ended(self.generation) {
            self.shard.reader_wake().await;
            return None;
        }
        match self.shard.finish(self.generation).await {
            Ok(Some(Written::Stored)) => Some(End::Finished),
            Ok(Some(Written::Fenced)) => Some(End::Stopped),
            Ok(None) => None,
            Err(error) => {
                self.stream.outlet.report(error);
                // The keeper renews meanwhile; a store that is down is asked at its pace.
                let again = clock::now() + self.stream.timings.renew_every;
                select! {
                    () = sleep_until(again.into()) => {}
                    () = self.shard.interrupted() => {}
                }
                None
            }
        }
    }
}

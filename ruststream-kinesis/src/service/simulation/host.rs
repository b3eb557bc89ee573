//! One instance: a process with its own clock, its client of the table and its subscription.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::executor::Process;
use super::kinesis::Listing;
use super::page::Page;
use super::reposition::{Command, Position};
use super::shard::Shard;
use super::sleep::Sleep;
use super::stop::Stopping;
use super::store::Store;
use super::stream::Made;
use super::world::{Failure, Server, World};
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::{Listed, ShardId};
use crate::service::budget::Budget;

/// How long one attempt of a call may take, and how many there are. Imitates
/// `service::clients`.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);
const ATTEMPTS: u32 = 3;
const READ_TIMEOUT: Duration = Duration::from_secs(8);

/// What every part of one running instance shares. Imitates `service::stream::Stream`.
pub(super) struct Host {
    pub(super) world: Rc<World>,
    pub(super) process: Process,
    pub(super) owner: Arc<str>,
    pub(super) store: Store,
    pub(super) budget: Budget,
    pub(super) outlet: mpsc::Sender<Page>,
    /// Whether the stream is polled: nothing is read before.
    pub(super) polled: watch::Sender<bool>,
    pub(super) stop: Stopping,
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) opened_at: Cell<u64>,
    /// The shards it reads, for who looks on.
    pub(super) shown: RefCell<Vec<Rc<Shard>>>,
    /// Whether it ended by itself.
    pub(super) exited: Cell<bool>,
    /// Bytes of records it has in memory.
    pub(super) buffered: Cell<usize>,
}

impl Host {
    /// This process's monotonic time. Imitates `crate::clock::now`.
    pub(super) fn now(&self) -> Instant {
        self.world.executor.clock(self.process)
    }

    pub(super) fn random(&self) -> u64 {
        self.world.executor.random()
    }

    pub(super) fn sleep_until(&self, until: Instant) -> Sleep {
        self.world.executor.sleep_until(self.process, until)
    }

    pub(super) fn sleep(&self, pause: Duration) -> Sleep {
        self.world.executor.sleep(self.process, pause)
    }

    pub(super) async fn timeout<T>(
        &self,
        within: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let executor = &self.world.executor;
        executor.timeout(self.process, within, work).await
    }

    pub(super) fn spawn(&self, work: impl Future<Output = ()> + 'static) -> usize {
        self.world.executor.spawn(self.process, work)
    }

    pub(super) fn tell(&self, what: impl FnOnce() -> String) {
        self.world.tell(|| format!("{}: {}", self.owner, what()));
    }

    // The service's calls. Imitates `service::calls`, with the retries of the SDK.

    async fn call<T: 'static>(
        &self,
        serve: impl Fn(&World) -> Result<T, Failure> + Clone + 'static,
    ) -> Result<T, Failure> {
        let mut attempt = 1;
        loop {
            let call = self
                .world
                .call(self.process, Server::Kinesis, serve.clone());
            let answer = self.timeout(ATTEMPT_TIMEOUT, call).await;
            match answer.unwrap_or(Err(Failure::Other)) {
                Err(Failure::Throttled | Failure::Other) if attempt < ATTEMPTS => {
                    attempt += 1;
                    let pause = self.world.executor.within(100, 1_000);
                    self.sleep(Duration::from_millis(pause)).await;
                }
                answer => return answer,
            }
        }
    }

    pub(super) async fn describe(&self) -> Result<u64, Failure> {
        self.call(|world| Ok(world.serve_date())).await
    }

    pub(super) async fn list_shards(&self, asked: Listing) -> Result<Vec<Listed>, Failure> {
        let process = self.process;
        self.call(move |world| Ok(world.serve_listing(process, asked)))
            .await
    }

    pub(super) async fn shard_iterator(
        &self,
        shard: &ShardId,
        cursor: &Cursor,
    ) -> Result<Made, Failure> {
        let (shard, cursor) = (Arc::clone(shard), cursor.clone());
        self.call(move |world| world.serve_iterator(&shard, &cursor))
            .await
    }

    pub(super) async fn get_records(
        &self,
        iterator: &str,
        tenure: u64,
    ) -> Result<super::stream::Page, Failure> {
        let iterator = iterator.to_owned();
        let (most, sent) = (self.world.scenario.limit, self.world.now());
        let call = self
            .world
            .call(self.process, Server::Kinesis, move |world| {
                world.serve_page(tenure, &iterator, most, sent)
            });
        let answer = self.timeout(READ_TIMEOUT, call).await;
        answer.unwrap_or(Err(Failure::Other))
    }

    /// Moves the subscription. Imitates `service::seek::Seek::to`.
    pub(super) async fn seek(&self, position: Position) -> Result<(), Failure> {
        let (answer, answered) = tokio::sync::oneshot::channel();
        let command = Command { position, answer };
        let sent = self.commands.send(command).await;
        sent.map_err(|_| Failure::NotFound)?;
        answered.await.unwrap_or(Err(Failure::NotFound))
    }
}

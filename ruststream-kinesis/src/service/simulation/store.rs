//! One instance's client of the table: writes that are conditional on the counter it last saw, and
//! a row that is read back where the outcome of a write is not known. Stands for `lease::dynamodb`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::executor::Process;
use super::table::{Answer, Write, Writer};
use super::world::{Failure, Server, World};
use crate::lease::{LeaseState, Member, Survey};
use crate::rules::shard_graph::ShardId;

/// How often one call tries: whoever renews and whoever checkpoints may be in each other's way.
const TRIES: usize = 6;

/// How long one attempt at a call may take, and how often it is repeated. Imitates
/// `lease::dynamodb::table`.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);
const RETRIES: usize = 2;

pub(super) struct Store {
    world: Rc<World>,
    process: Process,
    owner: Arc<str>,
    /// The counters of the rows this instance wrote last.
    seen: RefCell<BTreeMap<ShardId, u64>>,
}

impl Store {
    pub(super) fn new(world: Rc<World>, process: Process, owner: Arc<str>) -> Self {
        Self {
            world,
            process,
            owner,
            seen: RefCell::default(),
        }
    }

    /// Writes; answers what the row said before, or nothing where the lease is another owner's.
    pub(super) async fn write(
        &self,
        shard: &ShardId,
        write: Write,
        tenure: u64,
        generation: u64,
    ) -> Result<Option<LeaseState>, Failure> {
        // A call that is dropped leaves nothing known.
        let mut counter = self.seen.borrow_mut().remove(shard);
        let mut failed = 0;
        for _ in 0..TRIES {
            let expected = match counter {
                Some(counter) => counter,
                None => self.counter(shard).await?,
            };
            let writer = Writer {
                owner: Arc::clone(&self.owner),
                tenure,
                generation,
            };
            let (to, what) = (Arc::clone(shard), write.clone());
            let answer =
                self.attempt(move |world| Ok(world.serve_write(&to, &what, &writer, expected)));
            match answer.await {
                Ok(Answer::Written { before, counter }) => {
                    self.seen.borrow_mut().insert(Arc::clone(shard), counter);
                    return Ok(Some(before));
                }
                Ok(Answer::Refused) => return Ok(None),
                Ok(Answer::Moved { counter: moved }) => counter = Some(moved),
                // It may be written all the same: the row is read back, and written again, which
                // changes nothing where it was.
                Err(_) if failed < RETRIES => {
                    failed += 1;
                    counter = None;
                }
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::Other)
    }

    async fn counter(&self, shard: &ShardId) -> Result<u64, Failure> {
        let of = Arc::clone(shard);
        self.ask(move |world| Ok(world.serve_counter(&of))).await
    }

    pub(super) async fn read(&self, shard: &ShardId) -> Result<LeaseState, Failure> {
        let of = Arc::clone(shard);
        self.ask(move |world| Ok(world.serve_row(&of))).await
    }

    pub(super) async fn survey(&self, shards: &[ShardId]) -> Result<Survey, Failure> {
        let shards = shards.to_vec();
        self.ask(move |world| Ok(world.serve_survey(&shards))).await
    }

    pub(super) async fn announce(
        &self,
        member: Member,
        ttl: Duration,
    ) -> Result<Vec<Member>, Failure> {
        self.ask(move |world| Ok(world.serve_announcement(&member, ttl)))
            .await
    }

    pub(super) async fn depart(&self) -> Result<(), Failure> {
        let owner = Arc::clone(&self.owner);
        self.ask(move |world| {
            world.serve_departure(&owner);
            Ok(())
        })
        .await
    }

    /// One call, tried again where it fails.
    async fn ask<T: 'static>(
        &self,
        serve: impl Fn(&World) -> Result<T, Failure> + Clone + 'static,
    ) -> Result<T, Failure> {
        let mut failed = 0;
        loop {
            match self.attempt(serve.clone()).await {
                Err(_) if failed < RETRIES => failed += 1,
                answer => return answer,
            }
        }
    }

    async fn attempt<T: 'static>(
        &self,
        serve: impl FnOnce(&World) -> Result<T, Failure> + 'static,
    ) -> Result<T, Failure> {
        let call = self.world.call(self.process, Server::Table, serve);
        let executor = &self.world.executor;
        let answer = executor.timeout(self.process, ATTEMPT_TIMEOUT, call).await;
        answer.unwrap_or(Err(Failure::Other))
    }
}

//! A lease store of another package: the five required calls and nothing else, logged, and scripted
//! to go wrong.

#![expect(
    clippy::missing_panics_doc,
    reason = "a fixture panics where the test cannot go on"
)]

mod script;
mod seeing;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ruststream_kinesis::{LeaseError, LeaseKey, LeaseState, LeaseStore, MemoryLeaseStore};
use tokio::sync::watch;

pub use script::{Answer, Op, Rule, StoreCall, Twist, Which};
pub use seeing::SeeingStore;

use self::script::Script;
use crate::live::within;

/// A store in memory where an owner that is gone left that checkpoint in the row of that shard.
pub async fn left_at(stream: &str, shard: &str, checkpoint: &str) -> Arc<MemoryLeaseStore> {
    const OWNER: &str = "gone";
    let store = MemoryLeaseStore::new();
    let key = LeaseKey::new(stream, shard);
    let taken = store.acquire(&key, OWNER, Duration::from_secs(9)).await;
    assert!(taken.expect("the store answers"));
    let stored = store.checkpoint(&key, OWNER, checkpoint).await;
    assert!(stored.expect("the store answers"));
    let released = store.release(&key, OWNER).await;
    released.expect("the store answers");
    Arc::new(store)
}

/// Wraps a store and answers as it does, but for what is scripted.
pub struct RecordingStore {
    inner: Arc<dyn LeaseStore>,
    script: Script,
    log: watch::Sender<Vec<StoreCall>>,
}

impl RecordingStore {
    /// Over an empty [`MemoryLeaseStore`].
    #[must_use]
    pub fn new() -> Arc<Self> {
        Self::over(Arc::new(MemoryLeaseStore::new()))
    }

    /// Over that store.
    #[must_use]
    pub fn over(inner: Arc<dyn LeaseStore>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            script: Script::default(),
            log: watch::Sender::default(),
        })
    }

    /// The next such call goes wrong.
    pub fn once(&self, which: impl Into<Which>, twist: Twist) -> Rule {
        self.script.add(which.into(), twist, Some(1))
    }

    /// Every such call goes wrong until the rule is removed.
    pub fn always(&self, which: impl Into<Which>, twist: Twist) -> Rule {
        self.script.add(which.into(), twist, None)
    }

    /// The calls so far, oldest first.
    pub fn calls(&self, which: impl Into<Which>) -> Vec<StoreCall> {
        let which = which.into();
        self.log
            .borrow()
            .iter()
            .filter(|call| which.selects(call))
            .cloned()
            .collect()
    }

    /// How many such calls came so far.
    pub fn count(&self, which: impl Into<Which>) -> usize {
        self.calls(which).len()
    }

    /// What such `checkpoint` calls were to store.
    #[must_use]
    pub fn checkpoints(&self) -> Vec<String> {
        self.calls(Op::Checkpoint)
            .into_iter()
            .filter_map(|call| call.sequence)
            .collect()
    }

    /// Waits until that many such calls were answered; fails the test where they are not.
    pub async fn answered(&self, which: impl Into<Which>, calls: usize) -> Vec<StoreCall> {
        self.reach(which.into(), calls, |call| call.answer.is_some())
            .await
    }

    /// Waits until that many such calls came; fails the test where they do not.
    pub async fn called(&self, which: impl Into<Which>, calls: usize) -> Vec<StoreCall> {
        self.reach(which.into(), calls, |_| true).await
    }

    async fn reach(
        &self,
        which: Which,
        calls: usize,
        counts: impl Fn(&StoreCall) -> bool,
    ) -> Vec<StoreCall> {
        let selected = |log: &Vec<StoreCall>| -> Vec<StoreCall> {
            let log = log.iter();
            log.filter(|call| which.selects(call) && counts(call))
                .cloned()
                .collect()
        };
        let mut log = self.log.subscribe();
        let reached = within(log.wait_for(|log| selected(log).len() >= calls)).await;
        selected(&reached.expect("the store lives"))
    }

    /// The row of that shard, past the script.
    pub async fn checkpoint_of(&self, stream: &str, shard: &str) -> Option<String> {
        let key = LeaseKey::new(stream, shard);
        let state = self.inner.read(&key).await;
        state.expect("the inner store answers").checkpoint
    }

    /// Waits until the row of that shard holds that checkpoint.
    pub async fn stores(&self, stream: &str, shard: &str, checkpoint: &str) {
        within(async {
            while self.checkpoint_of(stream, shard).await.as_deref() != Some(checkpoint) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }

    fn note(&self, call: StoreCall) -> usize {
        let mut place = 0;
        self.log.send_modify(|log| {
            place = log.len();
            log.push(call);
        });
        place
    }

    fn answer(&self, place: usize, answer: Answer) {
        self.log.send_modify(|log| log[place].answer = Some(answer));
    }

    /// Logs the call, and does what is scripted for it around `serve`.
    fn meet<'a, T: Reply + 'a>(
        &'a self,
        call: StoreCall,
        serve: impl FnOnce() -> BoxFuture<'a, Result<T, LeaseError>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, LeaseError>> {
        let twist = self.script.take(&call);
        let place = self.note(call);
        assert!(
            !matches!(twist, Some((Twist::Panic, _))),
            "the store panics as it is scripted to"
        );
        async move {
            let served = match twist {
                None => serve().await,
                Some((Twist::Fail | Twist::Panic, _)) => Err(scripted()),
                Some((Twist::FailAfter, _)) => serve().await.and(Err(scripted())),
                Some((Twist::No, _)) => T::no().ok_or_else(scripted),
                Some((Twist::Delay(delay), _)) => {
                    tokio::time::sleep(delay).await;
                    serve().await
                }
                Some((Twist::Hold, mut removed)) => {
                    // A rule whose handle is gone holds for good.
                    if removed.wait_for(|removed| *removed).await.is_err() {
                        std::future::pending::<()>().await;
                    }
                    serve().await
                }
            };
            let answer = served.as_ref().map_or(Answer::Failed, Reply::answer);
            self.answer(place, answer);
            served
        }
        .boxed()
    }
}

/// What one of the calls replies.
trait Reply: Send {
    /// A refusal, where the call has one.
    fn no() -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    fn answer(&self) -> Answer {
        Answer::Yes
    }
}

impl Reply for bool {
    fn no() -> Option<Self> {
        Some(false)
    }

    fn answer(&self) -> Answer {
        if *self { Answer::Yes } else { Answer::No }
    }
}

impl Reply for LeaseState {}

impl Reply for () {}

impl std::fmt::Debug for RecordingStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.log.borrow().iter()).finish()
    }
}

impl LeaseStore for RecordingStore {
    fn acquire<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.meet(call(Op::Acquire, key, owner, None), move || {
            self.inner.acquire(key, owner, ttl)
        })
    }

    fn renew<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.meet(call(Op::Renew, key, owner, None), move || {
            self.inner.renew(key, owner, ttl)
        })
    }

    fn checkpoint<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        sequence: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.meet(
            call(Op::Checkpoint, key, owner, Some(sequence)),
            move || self.inner.checkpoint(key, owner, sequence),
        )
    }

    fn read<'a>(&'a self, key: &'a LeaseKey) -> BoxFuture<'a, Result<LeaseState, LeaseError>> {
        self.meet(call(Op::Read, key, "", None), move || self.inner.read(key))
    }

    fn release<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.meet(call(Op::Release, key, owner, None), move || {
            self.inner.release(key, owner)
        })
    }
}

fn call(op: Op, key: &LeaseKey, owner: &str, sequence: Option<&str>) -> StoreCall {
    StoreCall {
        op,
        key: key.clone(),
        owner: owner.to_owned(),
        sequence: sequence.map(str::to_owned),
        at: tokio::time::Instant::now().into_std(),
        answer: None,
    }
}

fn scripted() -> LeaseError {
    "the store fails as it is scripted to".into()
}

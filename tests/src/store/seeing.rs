//! A store that shows instances to each other, and can be blinded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ruststream_kinesis::{
    LeaseError, LeaseKey, LeaseState, LeaseStore, Member, MemoryLeaseStore, Opening, Survey,
};
use tokio::sync::watch;

/// Passes every call on to a store in memory, but for what is to fail.
#[derive(Debug, Default)]
pub struct SeeingStore {
    inner: MemoryLeaseStore,
    blind: AtomicBool,
    failing_releases: AtomicUsize,
    takes: AtomicUsize,
    mute: AtomicBool,
    unanswered: watch::Sender<usize>,
}

impl SeeingStore {
    /// Over an empty [`MemoryLeaseStore`].
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Every survey fails from now on.
    pub fn blind(&self) {
        self.blind.store(true, Ordering::SeqCst);
    }

    /// The next releases fail, that many of them.
    pub fn fail_releases(&self, count: usize) {
        self.failing_releases.store(count, Ordering::SeqCst);
    }

    /// No announcement is answered from now on.
    pub fn mute(&self) {
        self.mute.store(true, Ordering::SeqCst);
    }

    /// Waits until an announcement was not answered.
    pub async fn unanswered(&self) {
        let mut unanswered = self.unanswered.subscribe();
        // This store keeps the sender, so the wait cannot end early.
        let _ = unanswered.wait_for(|unanswered| *unanswered > 0).await;
    }

    /// How often a shard was taken so far.
    pub fn takes(&self) -> usize {
        self.takes.load(Ordering::SeqCst)
    }
}

fn failed<T: Send + 'static>() -> BoxFuture<'static, Result<T, LeaseError>> {
    async { Err("this call was to fail".into()) }.boxed()
}

impl LeaseStore for SeeingStore {
    fn acquire<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.inner.acquire(key, owner, ttl)
    }

    fn renew<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.inner.renew(key, owner, ttl)
    }

    fn checkpoint<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        sequence: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.inner.checkpoint(key, owner, sequence)
    }

    fn read<'a>(&'a self, key: &'a LeaseKey) -> BoxFuture<'a, Result<LeaseState, LeaseError>> {
        self.inner.read(key)
    }

    fn keep_cursor<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        cursor: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.inner.keep_cursor(key, owner, cursor)
    }

    fn release<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        let left = &self.failing_releases;
        let fails = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        });
        if fails.is_ok() {
            return failed();
        }
        self.inner.release(key, owner)
    }

    fn take<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
        opening: &'a Opening,
    ) -> BoxFuture<'a, Result<Option<LeaseState>, LeaseError>> {
        async move {
            let taken = self.inner.take(key, owner, ttl, opening).await?;
            if taken.is_some() {
                self.takes.fetch_add(1, Ordering::SeqCst);
            }
            Ok(taken)
        }
        .boxed()
    }

    fn survey<'a>(
        &'a self,
        stream: &'a str,
        shards: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Option<Survey>, LeaseError>> {
        if self.blind.load(Ordering::SeqCst) {
            return failed();
        }
        self.inner.survey(stream, shards)
    }

    fn announce<'a>(
        &'a self,
        stream: &'a str,
        member: &'a Member,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Vec<Member>, LeaseError>> {
        if self.mute.load(Ordering::SeqCst) {
            self.unanswered.send_modify(|unanswered| *unanswered += 1);
            return std::future::pending().boxed();
        }
        self.inner.announce(stream, member, ttl)
    }

    fn depart<'a>(
        &'a self,
        stream: &'a str,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.inner.depart(stream, owner)
    }
}

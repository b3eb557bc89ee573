//! A lease this process holds: the value a checkpoint cannot be written without.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use tokio::time::timeout;

use crate::clock;
use crate::lease::{
    ANSWERED_WITHIN, LeaseError, LeaseKey, LeaseState, LeaseStore, LeaseTimings, Opening,
};
use crate::rules::cursor::Cursor;
use crate::rules::cursor_text;
use crate::rules::lease::{Action, Term};

/// The proof that this process holds a shard's lease. It is gone with the lease.
pub(crate) struct HeldLease(Arc<Tenure>);

/// What keeps the lease, which may be needed while somebody else has the turn to write. It proves
/// nothing.
pub(crate) struct Keeping(Arc<Tenure>);

struct Tenure {
    store: Arc<dyn LeaseStore>,
    key: LeaseKey,
    owner: Arc<str>,
    timings: LeaseTimings,
    term: Mutex<Term>,
}

/// What a write under a lease came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Stored,
    /// Another owner holds the shard: the lease is to be given up at once.
    Fenced,
}

impl HeldLease {
    /// Takes the shard and answers what its row held, or nothing where another owner holds it.
    pub(crate) async fn take(
        store: &Arc<dyn LeaseStore>,
        key: LeaseKey,
        owner: &Arc<str>,
        timings: LeaseTimings,
        opening: &Opening,
    ) -> Result<Option<(Self, LeaseState)>, LeaseError> {
        let asked = clock::now();
        let taken = answered(store.take(&key, owner, timings.lease_ttl, opening), || {
            ANSWERED_WITHIN
        })
        .await?;
        Ok(taken.map(|found| {
            let tenure = Tenure {
                store: Arc::clone(store),
                owner: Arc::clone(owner),
                timings,
                term: Mutex::new(Term::new(timings.lease_ttl, timings.renew_every, asked)),
                key,
            };
            (Self(Arc::new(tenure)), found)
        }))
    }

    /// The name it is held under.
    pub(crate) fn owner(&self) -> Arc<str> {
        Arc::clone(&self.0.owner)
    }

    /// What keeps it.
    pub(crate) fn keeping(&self) -> Keeping {
        Keeping(Arc::clone(&self.0))
    }

    /// Keeps where the shard's reader opened or was moved to.
    pub(crate) async fn keep_cursor(&mut self, cursor: &Cursor) -> Result<Written, LeaseError> {
        let tenure = &*self.0;
        let Some(cursor) = cursor_text::write(cursor) else {
            return Ok(Written::Stored);
        };
        let call = tenure
            .store
            .keep_cursor(&tenure.key, &tenure.owner, &cursor);
        written(answered(call, || tenure.patience()).await)
    }

    /// Stores `sequence` as the shard's checkpoint.
    pub(crate) async fn checkpoint(&mut self, sequence: &str) -> Result<Written, LeaseError> {
        let tenure = &*self.0;
        let call = tenure
            .store
            .checkpoint(&tenure.key, &tenure.owner, sequence);
        written(answered(call, || tenure.patience()).await)
    }

    /// Hands the shard back.
    pub(crate) async fn release(self) -> Result<(), LeaseError> {
        let Tenure {
            store, key, owner, ..
        } = &*self.0;
        answered(store.release(key, owner), || ANSWERED_WITHIN).await
    }
}

impl Keeping {
    /// What the lease asks for next.
    pub(crate) fn action(&self) -> Action {
        self.0.term().action(clock::now())
    }

    /// How often the lease is renewed.
    pub(crate) fn renew_every(&self) -> Duration {
        self.0.timings.renew_every
    }

    /// Until when a renewal that is due may wait for its turn to write.
    pub(crate) fn renew_by(&self) -> Instant {
        self.0.term().renew_by()
    }

    /// Extends the lease.
    pub(crate) async fn renew(&self) -> Result<Written, LeaseError> {
        let tenure = &*self.0;
        let asked = clock::now();
        let call = tenure
            .store
            .renew(&tenure.key, &tenure.owner, tenure.timings.lease_ttl);
        let written = written(answered(call, || tenure.patience()).await);
        match &written {
            Ok(Written::Stored) => tenure.term().renewed(asked),
            Ok(Written::Fenced) => {}
            Err(_) => tenure.term().failed(clock::now(), fastrand::u64(..)),
        }
        written
    }
}

impl Tenure {
    fn term(&self) -> MutexGuard<'_, Term> {
        // No holder panics half way: every change is a few assignments.
        self.term.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call that outlives the lease tells nothing, and must not keep the next one waiting.
    fn patience(&self) -> Duration {
        self.term()
            .valid_until()
            .saturating_duration_since(clock::now())
            .min(self.timings.lease_ttl / 2)
            .min(ANSWERED_WITHIN)
    }
}

fn written(answer: Result<bool, LeaseError>) -> Result<Written, LeaseError> {
    answer.map(|held| {
        if held {
            Written::Stored
        } else {
            Written::Fenced
        }
    })
}

pub(super) async fn answered<T>(
    mut call: BoxFuture<'_, Result<T, LeaseError>>,
    within: impl FnOnce() -> Duration,
) -> Result<T, LeaseError> {
    // A store in this process answers at once, once per acknowledgement: it needs no timer.
    if let Poll::Ready(answer) = futures::poll!(&mut call) {
        return answer;
    }
    let within = within();
    timeout(within, call)
        .await
        .unwrap_or_else(|_| Err(format!("the lease store did not answer within {within:?}").into()))
}

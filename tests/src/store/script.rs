//! Calls of a store, and what is scripted to go wrong with them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ruststream_kinesis::LeaseKey;
use tokio::sync::watch;

/// One of the five calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// `acquire`
    Acquire,
    /// `renew`
    Renew,
    /// `checkpoint`
    Checkpoint,
    /// `read`
    Read,
    /// `release`
    Release,
}

impl Op {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Acquire,
        Self::Renew,
        Self::Checkpoint,
        Self::Read,
        Self::Release,
    ];
}

/// One call as it came.
#[derive(Debug, Clone)]
pub struct StoreCall {
    /// Which it was.
    pub op: Op,
    /// The shard it was about.
    pub key: LeaseKey,
    /// Who called; nothing of a `read`.
    pub owner: String,
    /// What a `checkpoint` was to store.
    pub sequence: Option<String>,
    /// When it came.
    pub at: Instant,
    /// What it was answered; nothing while it is in flight.
    pub answer: Option<Answer>,
}

/// What a call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// `true`, or what is not a `bool`.
    Yes,
    /// `false`
    No,
    /// An error.
    Failed,
}

/// Selects calls.
#[derive(Debug, Clone)]
pub struct Which {
    op: Op,
    shard: Option<String>,
    owner: Option<String>,
}

impl Which {
    /// Only calls about this shard.
    #[must_use]
    pub fn shard(self, shard: impl Into<String>) -> Self {
        Self {
            shard: Some(shard.into()),
            ..self
        }
    }

    /// Only calls of owners whose id, before the slash, is this one.
    #[must_use]
    pub fn owner(self, id: impl Into<String>) -> Self {
        Self {
            owner: Some(format!("{}/", id.into())),
            ..self
        }
    }

    pub(super) fn selects(&self, call: &StoreCall) -> bool {
        self.op == call.op
            && self
                .shard
                .as_ref()
                .is_none_or(|shard| shard == call.key.shard())
            && self
                .owner
                .as_ref()
                .is_none_or(|owner| call.owner.starts_with(owner.as_str()))
    }
}

impl From<Op> for Which {
    fn from(op: Op) -> Self {
        Self {
            op,
            shard: None,
            owner: None,
        }
    }
}

/// What goes wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twist {
    /// An error; not applied.
    Fail,
    /// Applied, then an error.
    FailAfter,
    /// `false`; not applied.
    No,
    /// Served after that long.
    Delay(Duration),
    /// Served once the rule is removed.
    Hold,
    /// A panic, before there is anything to wait for.
    Panic,
}

#[derive(Debug)]
struct Entry {
    id: u64,
    which: Which,
    twist: Twist,
    left: Option<usize>,
    removed: watch::Receiver<bool>,
}

/// What goes wrong, in the order it was scripted.
#[derive(Debug, Clone, Default)]
pub(super) struct Script(Arc<Mutex<Vec<Entry>>>);

impl Script {
    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        // A test that panicked leaves the script whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, which: Which, twist: Twist, left: Option<usize>) -> Rule {
        let mut entries = self.entries();
        let id = entries.last().map_or(0, |entry| entry.id + 1);
        let (removed, watched) = watch::channel(false);
        entries.push(Entry {
            id,
            which,
            twist,
            left,
            removed: watched,
        });
        Rule {
            id,
            script: self.clone(),
            removed,
        }
    }

    /// What goes wrong with this call, taken off its rule's count, and when the rule is removed.
    pub(super) fn take(&self, call: &StoreCall) -> Option<(Twist, watch::Receiver<bool>)> {
        let mut entries = self.entries();
        let entry = entries
            .iter_mut()
            .find(|entry| entry.left != Some(0) && entry.which.selects(call))?;
        if let Some(left) = &mut entry.left {
            *left -= 1;
        }
        Some((entry.twist, entry.removed.clone()))
    }
}

/// A rule in the script; dropping the handle leaves it in force.
#[derive(Debug)]
pub struct Rule {
    id: u64,
    script: Script,
    removed: watch::Sender<bool>,
}

impl Rule {
    /// Takes the rule out of the script and lets the calls go that it holds.
    pub fn remove(self) {
        self.script.entries().retain(|entry| entry.id != self.id);
        self.removed.send_replace(true);
    }
}

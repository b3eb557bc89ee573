//! What goes wrong, and how often.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{Call, On};

/// What happens to a call instead of, or on top of, being served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// Refused for its rate, under the name the service gives it for that operation; not applied.
    Throttle,
    /// A 500; not applied.
    ErrorBefore,
    /// Applied, then a 500.
    ErrorAfter,
    /// Accepted and never answered; not applied.
    NoAnswer,
    /// The connection is cut without an answer; not applied.
    DropBefore,
    /// Applied, then the connection is cut without an answer.
    DropAfter,
    /// `ExpiredIteratorException`; not applied.
    ExpiredIterator,
    /// `ExpiredNextTokenException`; not applied.
    ExpiredListToken,
    /// A `GetRecords` page without records that says it is a second behind, whose next iterator is the one it was asked
    /// with.
    EmptyPageBehind,
    /// Served after this long.
    Delay(Duration),
    /// Served once the rule is removed, though the caller may be gone by then.
    Hold,
    /// Served, and answered without a `Date` header.
    NoDate,
    /// Served with the records of the page in reverse order.
    ReversePage,
    /// This answer; not applied. [`Fault::error`] builds the usual one.
    Answer {
        /// The HTTP status.
        status: u16,
        /// The JSON body.
        body: Value,
    },
    /// Served, then the body of a successful answer is changed. [`Fault::rewrite`] builds it.
    Rewrite(Rewrite),
}

impl Fault {
    /// An error answer of the service, such as `(400, "ExpiredTokenException", "The security token has expired")`.
    #[must_use]
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Self::Answer {
            status,
            body: json!({ "__type": code, "message": message }),
        }
    }

    /// Serves the call and lets `change` edit the body of a successful answer: a shard missing from a listing, a record
    /// without its partition key, an item of another writer.
    #[must_use]
    pub fn rewrite(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        Self::Rewrite(Rewrite(Arc::new(change)))
    }
}

/// A change to the body of an answer.
#[derive(Clone)]
pub struct Rewrite(Arc<dyn Fn(&mut Value) + Send + Sync>);

impl Rewrite {
    pub(crate) fn apply(&self, body: &mut Value) {
        (self.0)(body);
    }
}

impl fmt::Debug for Rewrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rewrite")
    }
}

/// The script of one stack. A call meets at most one fault: that of the oldest rule that selects it and is not used up.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    script: Arc<Mutex<Script>>,
}

#[derive(Debug, Default)]
struct Script {
    entries: Vec<Entry>,
    next_id: u64,
}

#[derive(Debug)]
struct Entry {
    id: u64,
    on: On,
    fault: Fault,
    skip: usize,
    left: Option<usize>,
    hits: Arc<watch::Sender<usize>>,
    hold: Hold,
}

/// What a held call waits for, and tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hold {
    removed: Arc<watch::Sender<bool>>,
    served: Arc<watch::Sender<usize>>,
}

impl Hold {
    /// Waits until the rule is removed.
    pub(crate) async fn removed(&self) {
        // This handle keeps the sender, so the wait cannot end early.
        let _ = self.removed.subscribe().wait_for(|removed| *removed).await;
    }

    /// Tells that one more call was served.
    pub(crate) fn serve(&self) {
        self.served.send_modify(|served| *served += 1);
    }
}

impl Faults {
    /// The next selected call meets `fault`.
    #[expect(
        clippy::must_use_candidate,
        reason = "the rule's handle is needed only to watch or remove the rule"
    )]
    pub fn once(&self, on: On, fault: Fault) -> Rule {
        self.add(on, fault, Some(1))
    }

    /// The next `calls` selected calls meet `fault`.
    #[expect(
        clippy::must_use_candidate,
        reason = "the rule's handle is needed only to watch or remove the rule"
    )]
    pub fn times(&self, calls: usize, on: On, fault: Fault) -> Rule {
        self.add(on, fault, Some(calls))
    }

    /// Every selected call meets `fault` until the rule is removed.
    #[expect(
        clippy::must_use_candidate,
        reason = "the rule's handle is needed only to watch or remove the rule"
    )]
    pub fn always(&self, on: On, fault: Fault) -> Rule {
        self.add(on, fault, None)
    }

    /// Removes every rule.
    pub fn clear(&self) {
        for entry in self.script().entries.drain(..) {
            entry.hold.removed.send_replace(true);
        }
    }

    fn add(&self, on: On, fault: Fault, left: Option<usize>) -> Rule {
        let mut script = self.script();
        let id = script.next_id;
        script.next_id += 1;
        let hits = Arc::new(watch::Sender::new(0));
        let hold = Hold::default();
        let skip = on.skipped();
        script.entries.push(Entry {
            id,
            on,
            fault,
            skip,
            left,
            hits: Arc::clone(&hits),
            hold: hold.clone(),
        });
        Rule {
            id,
            hits,
            hold,
            faults: self.clone(),
        }
    }

    /// The fault this call meets, taken off its rule's count, and what it waits for if it is held.
    pub(crate) fn take(&self, call: &Call) -> Option<(Fault, Hold)> {
        let mut script = self.script();
        for entry in &mut script.entries {
            if entry.left == Some(0) || !entry.on.selects(call) {
                continue;
            }
            if entry.skip > 0 {
                entry.skip -= 1;
                continue;
            }
            if let Some(left) = &mut entry.left {
                *left -= 1;
            }
            entry.hits.send_modify(|hits| *hits += 1);
            return Some((entry.fault.clone(), entry.hold.clone()));
        }
        None
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        // A predicate that panics leaves the script whole: nothing is half-written at that point.
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A rule in a script. Dropping the handle leaves the rule in force.
#[derive(Clone, Debug)]
pub struct Rule {
    id: u64,
    hits: Arc<watch::Sender<usize>>,
    hold: Hold,
    faults: Faults,
}

impl Rule {
    /// How many calls have met the fault.
    #[must_use]
    pub fn hits(&self) -> usize {
        *self.hits.borrow()
    }

    /// Waits until at least `calls` calls have met the fault. Has no timeout of its own and is safe to cancel.
    pub async fn reach(&self, calls: usize) {
        // This handle keeps the sender, so the wait cannot end early.
        let _ = self.hits.subscribe().wait_for(|hits| *hits >= calls).await;
    }

    /// Waits until at least `calls` calls that were [held](Fault::Hold) have been served. Has no timeout of its own and
    /// is safe to cancel.
    pub async fn served(&self, calls: usize) {
        let served = &self.hold.served;
        let _ = served.subscribe().wait_for(|served| *served >= calls).await;
    }

    /// Takes the rule out of the script; of the calls that already met the fault, those that are [held](Fault::Hold) are
    /// let go.
    pub fn remove(&self) {
        self.faults
            .script()
            .entries
            .retain(|entry| entry.id != self.id);
        self.hold.removed.send_replace(true);
    }
}

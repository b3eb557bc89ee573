//! The log of calls a stack has received.

use std::time::Instant;

use serde_json::Value;
use tokio::sync::watch;

use crate::On;

/// One call as it arrived, before any fault; a call the SDK repeats is logged each time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// The operation's name in the service's API, such as `GetRecords`.
    pub operation: String,
    /// The stream's or the table's name, where the call tells it.
    pub resource: Option<String>,
    /// The ids of the shards, the partition key or the item's key values the call is about.
    pub keys: Vec<String>,
    /// The request's JSON body; the payloads of `PutRecord` and `PutRecords` are left out.
    pub request: Value,
    /// The access key the call is signed with.
    pub access_key: Option<String>,
    /// When the call arrived, by the real clock.
    pub at: Instant,
}

/// The calls a stack has received, oldest first. It grows until [`Calls::clear`].
#[derive(Debug)]
pub struct Calls {
    log: watch::Sender<Vec<Call>>,
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self {
            log: watch::Sender::new(Vec::new()),
        }
    }

    pub(crate) fn record(&self, call: Call) {
        self.log.send_modify(|calls| calls.push(call));
    }

    /// Every call so far.
    #[must_use]
    pub fn all(&self) -> Vec<Call> {
        self.log.borrow().clone()
    }

    /// The calls `on` selects.
    #[must_use]
    pub fn selected(&self, on: &On) -> Vec<Call> {
        self.log
            .borrow()
            .iter()
            .filter(|call| on.selects(call))
            .cloned()
            .collect()
    }

    /// How many calls `on` selects.
    #[must_use]
    pub fn count(&self, on: &On) -> usize {
        count(&self.log.borrow(), on)
    }

    /// Waits until `on` selects at least `calls` calls. Has no timeout of its own and is safe to cancel.
    pub async fn reach(&self, on: &On, calls: usize) {
        // The sender is this log itself, so the wait cannot end early.
        let _ = self
            .log
            .subscribe()
            .wait_for(|log| count(log, on) >= calls)
            .await;
    }

    /// Forgets every call so far.
    pub fn clear(&self) {
        self.log.send_modify(Vec::clear);
    }
}

fn count(calls: &[Call], on: &On) -> usize {
    calls.iter().filter(|call| on.selects(call)).count()
}

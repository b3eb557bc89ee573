//! The log of writes a `DynamoDB` stack was asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use dynoxide::Database;
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard, watch};

use crate::layer::ClockShift;
use crate::wire::{Received, Reply};

/// The operations that change one item.
const WRITES: [&str; 3] = ["DeleteItem", "PutItem", "UpdateItem"];

/// The operations that change several, which the log does not follow.
const BULK_WRITES: [&str; 5] = [
    "BatchExecuteStatement",
    "BatchWriteItem",
    "ExecuteStatement",
    "ExecuteTransaction",
    "TransactWriteItems",
];

/// One write to one item, with what it made of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Write {
    /// `UpdateItem`, `PutItem` or `DeleteItem`.
    pub operation: String,
    /// The table's name.
    pub table: String,
    /// The item's key attributes.
    pub key: Value,
    /// The request's JSON body.
    pub request: Value,
    /// Whether it was applied; its condition may have failed.
    pub applied: bool,
    /// The item before it; nothing where there was none.
    pub before: Option<Value>,
    /// The item after it; nothing where there is none.
    pub after: Option<Value>,
    /// When it was served, by the real clock.
    pub at: Instant,
    /// When its turn came, before it was applied, by the clock that the answers tell.
    pub date: SystemTime,
}

/// The writes a stack has served, in the order they were applied, from [`Writes::record`] on. Also those whose answer a
/// fault kept from the caller.
#[derive(Debug)]
pub struct Writes {
    recording: AtomicBool,
    log: watch::Sender<Vec<Write>>,
}

impl Writes {
    pub(crate) fn new() -> Self {
        Self {
            recording: AtomicBool::new(false),
            log: watch::Sender::new(Vec::new()),
        }
    }

    /// Starts the log. From here on writes are served one after the other, and writes to several items are refused.
    pub fn record(&self) {
        self.recording.store(true, Ordering::Release);
    }

    /// Every write so far that was not [taken](Self::take).
    #[must_use]
    pub fn all(&self) -> Vec<Write> {
        self.log.borrow().clone()
    }

    /// The writes since this was last called, which the log then forgets.
    #[must_use]
    pub fn take(&self) -> Vec<Write> {
        self.log.send_replace(Vec::new())
    }

    /// Waits until a write `holds` accepts was served, one that was before and not taken counts. Has no timeout of its own and is safe
    /// to cancel.
    pub async fn reach(&self, holds: impl Fn(&Write) -> bool) {
        // The sender is this log itself, so the wait cannot end early.
        let _ = self
            .log
            .subscribe()
            .wait_for(|log| log.iter().any(&holds))
            .await;
    }
}

/// Serves writes one after the other while they are logged.
pub(crate) struct Scribe {
    writes: Arc<Writes>,
    database: Database,
    clock_shift: ClockShift,
    turn: Mutex<()>,
}

/// A write that is being served.
pub(crate) struct Pending<'a> {
    scribe: &'a Scribe,
    write: Write,
    _turn: MutexGuard<'a, ()>,
}

impl Scribe {
    pub(crate) fn new(writes: Arc<Writes>, database: Database, clock_shift: ClockShift) -> Self {
        Self {
            writes,
            database,
            clock_shift,
            turn: Mutex::default(),
        }
    }

    fn is_recording(&self) -> bool {
        self.writes.recording.load(Ordering::Acquire)
    }

    /// Why a call cannot be served while writes are logged.
    pub(crate) fn refuses(&self, received: &Received) -> Option<Reply> {
        let bulk = BULK_WRITES.contains(&received.operation.as_str()) && self.is_recording();
        bulk.then(|| {
            Reply::error(
                400,
                "ValidationException",
                "A stack that logs its writes serves no write to several items.",
            )
        })
    }

    /// Takes note of the item a write is about, before it is served.
    pub(crate) async fn open(
        &self,
        received: &Received,
        key_names: &[String],
    ) -> Option<Pending<'_>> {
        if !WRITES.contains(&received.operation.as_str()) || !self.is_recording() {
            return None;
        }
        let table = received.text("TableName")?.to_owned();
        let key = match &received.body["Key"] {
            Value::Object(key) => Value::Object(key.clone()),
            _ => key_names
                .iter()
                .map(|name| (name.clone(), received.body["Item"][name].clone()))
                .collect(),
        };
        let turn = self.turn.lock().await;
        Some(Pending {
            write: Write {
                operation: received.operation.clone(),
                before: self.item(&table, &key),
                table,
                key,
                request: received.body.clone(),
                applied: false,
                after: None,
                at: Instant::now(),
                date: self.clock_shift.time(),
            },
            scribe: self,
            _turn: turn,
        })
    }

    fn item(&self, table: &str, key: &Value) -> Option<Value> {
        let request = json!({ "TableName": table, "Key": key, "ConsistentRead": true });
        let request = serde_json::from_value(request).ok()?;
        let item = self.database.get_item(request).ok()?.item?;
        serde_json::to_value(item).ok()
    }
}

impl Pending<'_> {
    /// Logs the write, now that it was served.
    pub(crate) fn served(self, reply: &Reply) {
        let Self {
            scribe, mut write, ..
        } = self;
        write.applied = reply.is_success();
        write.after = scribe.item(&write.table, &write.key);
        write.at = Instant::now();
        scribe.writes.log.send_modify(|log| log.push(write));
    }
}

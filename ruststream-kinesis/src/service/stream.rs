//! What every shard of one subscription shares.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use super::budget::Budget;
use super::calls::Address;
use super::clients::Clients;
use super::held_lease::answered;
use super::page::Outlet;
use crate::lease::{ANSWERED_WITHIN, LeaseError, LeaseKey, LeaseState, LeaseStore, LeaseTimings};
use crate::rules::cursor::Cursor;
use crate::sdk_error::{Failure, Kind};

/// Records of one read. Source: `GetRecords` API reference.
const MOST_RECORDS: i32 = 10_000;

/// One open stream: how it is named, reached, read and leased.
pub(super) struct Stream {
    /// The stream, as its descriptor names it.
    pub(super) name: Arc<str>,
    /// Its ARN where the descriptor gives a name, its name where that gives an ARN.
    pub(super) other_spelling: String,
    pub(super) address: Address,
    pub(super) clients: Arc<Clients>,
    pub(super) poll_interval: Duration,
    pub(super) checkpoint_interval: Option<Duration>,
    pub(super) leases: Arc<dyn LeaseStore>,
    pub(super) owner: Arc<str>,
    pub(super) timings: LeaseTimings,
    pub(super) budget: Budget,
    pub(super) outlet: Outlet,
    pub(super) limit: watch::Receiver<Option<i32>>,
    /// The most shards this instance reads.
    pub(super) max_leases: usize,
    /// When the stream was created, where the service says: its identity.
    pub(super) created: Option<u64>,
    /// When the subscription opened. Both in milliseconds since the epoch, by the service's clock.
    pub(super) opened_at: u64,
    pub(super) counts: Arc<Counts>,
}

/// What went other than smoothly since the subscription opened.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) throttles: AtomicU64,
    pub(super) rewinds: AtomicU64,
    pub(super) lost_leases: AtomicU64,
}

impl Counts {
    /// Counts `failure` where the service asked for fewer calls.
    pub(super) fn throttled(&self, failure: &Failure) {
        if failure.kind() == Kind::Throttled {
            self.throttles.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Stream {
    /// The records to ask for, once the subscription's stream is polled for the first time: a batch
    /// handler names them only then.
    pub(super) async fn read_limit(&self) -> i32 {
        let mut limit = self.limit.clone();
        let named = limit.wait_for(Option::is_some).await.map(|limit| *limit);
        match named {
            Ok(limit) => limit.unwrap_or(MOST_RECORDS),
            // The subscription is gone unread, and is about to stop its readers.
            Err(_) => std::future::pending().await,
        }
    }

    /// The row of one of the stream's shards.
    pub(super) async fn row_of(&self, shard: &str) -> Result<LeaseState, LeaseError> {
        let key = LeaseKey::new(&*self.name, shard);
        answered(self.leases.read(&key), || ANSWERED_WITHIN).await
    }

    /// Tells that a row is that of another stream.
    pub(super) fn warn_of_stale_row(&self, shard: &str) {
        tracing::warn!(
            target: "ruststream::kinesis",
            subscription = &*self.name,
            shard,
            "the row is that of an earlier stream of this name; what it says counts for nothing, and \
             the shard is read from its horizon",
        );
    }

    /// Tells that a row's mark of the end belongs to another shard than the one that is there.
    pub(super) fn warn_of_stale_end(&self, shard: &str) {
        tracing::warn!(
            target: "ruststream::kinesis",
            subscription = &*self.name,
            shard,
            "the row says that the shard was read to its end, but it is open: the row is that of an \
             earlier stream of this name, and the shard is read from its horizon",
        );
    }

    /// Tells that a shard restarts at its horizon.
    pub(super) fn warn_of_gap(&self, shard: &str, cursor: &Cursor, failure: &Failure) {
        tracing::warn!(
            target: "ruststream::kinesis",
            subscription = &*self.name,
            shard,
            lost_after = ?cursor,
            error = %failure,
            "the shard no longer holds the place to resume from: what was between it and the trim \
             horizon is lost, or the stream is another one than the checkpoint was stored for; \
             reading goes on at the horizon",
        );
    }
}

/// The records the readers of one subscription ask for with each read; nothing is read before it
/// is named.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadLimit(watch::Sender<Option<i32>>);

impl ReadLimit {
    pub(super) fn subscribe(&self) -> watch::Receiver<Option<i32>> {
        self.0.subscribe()
    }

    /// A batch's worth, or as many as the service gives, and never more than that.
    pub(crate) fn set(&self, records: Option<NonZeroUsize>) {
        let most = records.and_then(|records| i32::try_from(records.get()).ok());
        let most = most.map_or(MOST_RECORDS, |records| records.min(MOST_RECORDS));
        self.0.send_replace(Some(most));
    }
}

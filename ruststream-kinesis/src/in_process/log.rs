//! Every stream of one broker, in this process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use ruststream::testing::Coordinator;

use super::counts::Counts;
use super::shard::{Shard, State};
use super::subscription::Subscription;
use crate::error::KinesisError;
use crate::rules::stream_ref::{self, StreamRef};
use crate::stream::KinesisStream;

/// The most bytes of a record, its partition key counted.
///
/// Source: `PutRecord` API reference, `Data`; a stream may be configured to take more.
const MAX_RECORD_BYTES: usize = 1024 * 1024;

/// The streams one broker has named, each there as soon as it is named.
#[derive(Default)]
pub(crate) struct Log {
    streams: Mutex<HashMap<String, Arc<Shard>>>,
    closed: AtomicBool,
    pub(super) counts: Counts,
}

impl Log {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// # Errors
    ///
    /// [`KinesisError::NotConnected`] after the shutdown.
    pub(super) fn check_open(&self) -> Result<(), KinesisError> {
        if self.is_closed() {
            return Err(KinesisError::NotConnected);
        }
        Ok(())
    }

    /// Opens a subscription at the tip.
    ///
    /// # Errors
    ///
    /// [`KinesisError::AlreadySubscribed`] where the stream has one;
    /// [`KinesisError::NotConnected`] after the shutdown.
    pub(crate) fn open(
        self: &Arc<Self>,
        stream: &KinesisStream,
    ) -> Result<Subscription, KinesisError> {
        self.check_open()?;
        let named = stream.stream();
        let name = stream_ref::parse(named)
            .map_err(|reason| KinesisError::Invalid(format!("'{named}': {reason}")))?
            .name();
        let shard = self.shard(name);
        let reader = shard
            .change(State::open)
            .ok_or_else(|| KinesisError::AlreadySubscribed {
                stream: named.to_owned(),
            })?;
        Ok(Subscription::new(Arc::clone(self), shard, named, reader))
    }

    /// Writes one record.
    ///
    /// # Errors
    ///
    /// [`KinesisError::Publish`] for what the service refuses;
    /// [`KinesisError::NotConnected`] after the shutdown.
    pub(crate) fn put(
        &self,
        stream: StreamRef<'_>,
        partition_key: String,
        data: Vec<u8>,
    ) -> Result<(), KinesisError> {
        self.check_open()?;
        if data.len() + partition_key.len() > MAX_RECORD_BYTES {
            return Err(KinesisError::publish(
                stream.text(),
                "a record has at most 1 MiB, its partition key counted",
            ));
        }
        self.shard(stream.name())
            .change(|state| state.append(partition_key, data.into(), &self.counts));
        Ok(())
    }

    /// Closes every handle, and ends the subscriptions' streams.
    pub(crate) fn shutdown(&self) {
        // Before the wake-ups, so that a reader either sees it or is woken for it.
        self.closed.store(true, Ordering::Release);
        let shards: Vec<_> = self.streams().values().map(Arc::clone).collect();
        for shard in shards {
            shard.wake();
        }
    }

    /// Has the harness count what is under way.
    pub(crate) fn install(&self, coordinator: Coordinator) {
        self.counts.install(coordinator);
    }

    /// Every record of the stream of that name, with its partition key.
    pub(crate) fn records(&self, name: &str) -> Vec<(String, Bytes)> {
        self.shard(name).change(|state| {
            let records = state.records.iter();
            records
                .map(|record| (record.partition_key.clone(), record.data.clone()))
                .collect()
        })
    }

    fn shard(&self, name: &str) -> Arc<Shard> {
        let mut streams = self.streams();
        if let Some(shard) = streams.get(name) {
            return Arc::clone(shard);
        }
        Arc::clone(streams.entry(name.to_owned()).or_default())
    }

    fn streams(&self) -> MutexGuard<'_, HashMap<String, Arc<Shard>>> {
        // A map of handles is never half changed, so a poisoned one is whole.
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

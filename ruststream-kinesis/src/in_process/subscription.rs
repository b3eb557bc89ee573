//! The one subscription of a stream, and what its deliveries and seekers hold of it.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::task::coop;

use super::log::Log;
use super::shard::{Reading, SHARD_ID, Shard};
use crate::error::KinesisError;
use crate::position::KinesisPosition;
use crate::rules::aggregate;

/// Where a subscription reads, shared by its handles.
struct Source {
    log: Arc<Log>,
    shard: Arc<Shard>,
    /// The stream, as its descriptor names it.
    stream: String,
    reader: u64,
}

/// A live subscription; dropping it frees the stream at once.
pub(crate) struct Subscription {
    source: Arc<Source>,
}

impl Subscription {
    pub(super) fn new(log: Arc<Log>, shard: Arc<Shard>, stream: &str, reader: u64) -> Self {
        Self {
            source: Arc::new(Source {
                log,
                shard,
                stream: stream.to_owned(),
                reader,
            }),
        }
    }

    pub(crate) fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Delivery, KinesisError>>> {
        // A log is always ready, so that a handler which never settles for good would otherwise
        // keep everything else off its thread.
        let budget = ready!(coop::poll_proceed(cx));
        let source = &self.source;
        let read = source.shard.change(|state| {
            if source.log.is_closed() {
                return Poll::Ready(None);
            }
            match state.read(source.reader, cx.waker(), &source.log.counts) {
                None => Poll::Pending,
                Some((record, reading)) => Poll::Ready(Some((
                    record.data.clone(),
                    record.partition_key.clone(),
                    reading,
                ))),
            }
        });
        let read = ready!(read);
        budget.made_progress();
        Poll::Ready(read.map(|(data, partition_key, reading)| {
            // Made before the record is judged, so that one not handed over is counted as read.
            let delivery = Delivery {
                source: Arc::clone(source),
                sequence: reading.sequence(),
                reading,
                data,
                partition_key,
                counted: true,
            };
            if aggregate::is_aggregated(&delivery.data) {
                return Err(KinesisError::AggregatedRecord {
                    shard: SHARD_ID.to_owned(),
                });
            }
            Ok(delivery)
        }))
    }

    pub(crate) fn seek(&self) -> Seek {
        Seek {
            source: Arc::clone(&self.source),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let source = &self.source;
        source
            .shard
            .change(|state| state.close(source.reader, &source.log.counts));
    }
}

/// Moves a subscription.
#[derive(Clone)]
pub(crate) struct Seek {
    source: Arc<Source>,
}

impl Seek {
    /// # Errors
    ///
    /// [`KinesisError::Read`] for a position the log does not hold: nothing moves then.
    /// [`KinesisError::NotConnected`] after the shutdown, and once the subscription is dropped.
    pub(crate) fn to(&self, position: &KinesisPosition) -> Result<(), KinesisError> {
        let source = &self.source;
        source.shard.change(|state| {
            source.log.check_open()?;
            if !state.is_open(source.reader) {
                return Err(KinesisError::NotConnected);
            }
            let to = state.find(position).map_err(|reason| {
                let shard = match position {
                    KinesisPosition::Sequence { shard, .. } => shard,
                    _ => SHARD_ID,
                };
                KinesisError::read(&source.stream, shard, reason)
            })?;
            state.seek(source.reader, to, &source.log.counts);
            Ok(())
        })
    }
}

/// One reading of a record; dropping it gives its count back.
pub(crate) struct Delivery {
    source: Arc<Source>,
    reading: Reading,
    data: Bytes,
    sequence: String,
    partition_key: String,
    counted: bool,
}

impl Delivery {
    pub(crate) fn data(&self) -> &[u8] {
        &self.data
    }

    pub(crate) fn sequence(&self) -> &str {
        &self.sequence
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the service's records may lack one"
    )]
    pub(crate) fn partition_key(&self) -> Option<&str> {
        Some(&self.partition_key)
    }

    #[expect(clippy::unused_self, reason = "the service's deliveries differ in it")]
    pub(crate) fn shard(&self) -> &str {
        SHARD_ID
    }

    pub(crate) fn seek(&self) -> Seek {
        Seek {
            source: Arc::clone(&self.source),
        }
    }

    /// Whether the subscription was moved since the record was handed over.
    pub(crate) fn is_stale(&self) -> bool {
        let Source { shard, reader, .. } = &*self.source;
        !shard.change(|state| state.is_current(*reader, self.reading))
    }

    /// Marks the record handled: the drop says so.
    ///
    /// # Errors
    ///
    /// [`KinesisError::NotConnected`] after the shutdown.
    pub(crate) fn settle(self) -> Result<(), KinesisError> {
        self.source.log.check_open()
    }

    /// Leaves the record unhandled: under a harness it is read again, with every record after it.
    ///
    /// # Errors
    ///
    /// [`KinesisError::NotConnected`] after the shutdown.
    pub(crate) fn leave(mut self) -> Result<(), KinesisError> {
        let source = Arc::clone(&self.source);
        source.log.check_open()?;
        self.release();
        let counts = &source.log.counts;
        // The framework's suites, which install no harness, count a replay as a fault.
        if counts.is_installed() {
            // Under the runtime the reopened records are counted before the settlement returns, or
            // the harness would be done too early. By hand they are counted as they are read.
            let at_once = counts.is_dispatching();
            source
                .shard
                .change(|state| state.leave(source.reader, self.reading, at_once, counts));
        }
        Ok(())
    }

    fn release(&mut self) {
        if std::mem::take(&mut self.counted) {
            self.source.log.counts.consumed(1);
        }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        let Source { shard, reader, .. } = &*self.source;
        shard.change(|state| state.forget(*reader, self.reading));
        self.release();
    }
}

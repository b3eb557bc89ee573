//! The live subscription: one stream of deliveries, or of batches, over every shard it reads.

use std::fmt;
use std::future::ready;
use std::num::NonZeroUsize;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{Stream, StreamExt};
use ruststream::{BatchSubscriber, BufferedSubscriber, Seekable, Subscriber};

use crate::error::KinesisError;
use crate::message::KinesisMessage;
use crate::seek::KinesisSeeker;
use crate::service::ReadLimit;
use crate::transport::Subscription;

/// How long a batch that is not full waits after its first record.
const BATCH_FILL: Duration = Duration::from_millis(50);

/// One open subscription.
///
/// Reading begins when its stream is first polled. Dropping it returns at once, and the rest
/// happens on the broker's runtime: the readers stop, deliveries in flight have five seconds to
/// settle, the last checkpoints are stored and the shards released. An acknowledgement after that
/// fails, and its record is read again.
pub struct KinesisSubscriber {
    stream: String,
    limit: ReadLimit,
    records: BufferedSubscriber<Records>,
}

impl KinesisSubscriber {
    pub(crate) fn new(stream: &str, subscription: Subscription) -> Self {
        let limit = subscription.read_limit();
        Self {
            stream: stream.to_owned(),
            limit,
            records: BufferedSubscriber::new(Records(subscription)).max_wait(BATCH_FILL),
        }
    }

    /// The stream, as its descriptor names it.
    #[must_use]
    pub fn stream_name(&self) -> &str {
        &self.stream
    }
}

impl Subscriber for KinesisSubscriber {
    type Message = KinesisMessage;
    type Error = KinesisError;

    fn stream(&mut self) -> impl Stream<Item = Result<KinesisMessage, KinesisError>> + Send + '_ {
        self.limit.set(None);
        self.records.stream()
    }
}

impl BatchSubscriber for KinesisSubscriber {
    type Batch = Vec<KinesisMessage>;

    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Self::Batch, KinesisError>> + Send + '_ {
        self.limit.set(Some(size));
        // A batch that was still filling when a seek came holds records of before it.
        self.records.batches(size).filter_map(|batch| {
            ready(match batch {
                Ok(mut records) => {
                    records.retain(|record| !record.is_stale());
                    (!records.is_empty()).then_some(Ok(records))
                }
                Err(error) => Some(Err(error)),
            })
        })
    }
}

impl Seekable for KinesisSubscriber {
    type Seeker = KinesisSeeker;

    fn seeker(&self) -> KinesisSeeker {
        self.records.seeker()
    }
}

impl fmt::Debug for KinesisSubscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KinesisSubscriber")
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

/// The records of every shard, one at a time.
struct Records(Subscription);

impl Records {
    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<KinesisMessage, KinesisError>>> {
        self.0.poll_next(cx).map_ok(KinesisMessage::new)
    }
}

impl Subscriber for Records {
    type Message = KinesisMessage;
    type Error = KinesisError;

    fn stream(&mut self) -> impl Stream<Item = Result<KinesisMessage, KinesisError>> + Send + '_ {
        futures::stream::poll_fn(|cx| self.poll_next(cx))
    }
}

impl Seekable for Records {
    type Seeker = KinesisSeeker;

    fn seeker(&self) -> KinesisSeeker {
        KinesisSeeker::new(self.0.seek())
    }
}

//! One delivered record.

use std::fmt;
use std::sync::OnceLock;

use bytes::Bytes;
use ruststream::{AckError, HeaderMap, IncomingMessage, Partitioned, Positioned, Str};

use crate::context::{PARTITION_KEY_HEADER, SEQUENCE_HEADER, SHARD_HEADER};
use crate::error::KinesisError;
use crate::position::KinesisPosition;
use crate::rules::envelope;
use crate::seek::KinesisSeeker;
use crate::transport::Delivery;

/// One record of one shard, not settled yet.
///
/// Dropping it leaves the record unhandled: the shard's watermark stays before it, and the shard
/// replays from it when its lease is next taken.
pub struct KinesisMessage {
    delivery: Delivery,
    /// Where the payload begins in the record's data; an envelope is before it.
    payload: usize,
    // Most handlers never look, so the map is built on the first look, and takes no room before.
    headers: OnceLock<Box<HeaderMap>>,
}

impl KinesisMessage {
    pub(crate) fn new(delivery: Delivery) -> Self {
        Self {
            payload: envelope::payload_at(delivery.data()),
            delivery,
            headers: OnceLock::new(),
        }
    }

    pub(crate) fn seeker(&self) -> KinesisSeeker {
        KinesisSeeker::new(self.delivery.seek())
    }

    /// Whether the subscription was moved since the record was handed over.
    pub(crate) fn is_stale(&self) -> bool {
        self.delivery.is_stale()
    }

    fn build_headers(&self) -> HeaderMap {
        let envelope = &self.delivery.data()[..self.payload];
        let written = envelope::headers(&Bytes::copy_from_slice(envelope));
        let mut headers = HeaderMap::with_capacity(written.len() + 3);
        for (name, value) in written.iter() {
            // The decoder takes no name that is not UTF-8.
            if let Ok(name) = Str::try_from(name) {
                headers.insert(name, value);
            }
        }
        // Ours last: a header another producer wrote under one of these names is not the record's.
        headers.insert(
            Str::from_static(SEQUENCE_HEADER),
            Bytes::copy_from_slice(self.delivery.sequence().as_bytes()),
        );
        headers.insert(
            Str::from_static(SHARD_HEADER),
            Bytes::copy_from_slice(self.delivery.shard().as_bytes()),
        );
        match self.delivery.partition_key() {
            Some(key) => headers.insert(
                Str::from_static(PARTITION_KEY_HEADER),
                Bytes::copy_from_slice(key.as_bytes()),
            ),
            None => headers.remove(PARTITION_KEY_HEADER),
        };
        headers
    }
}

fn broker_error(error: KinesisError) -> AckError {
    AckError::Broker(Box::new(error))
}

impl IncomingMessage for KinesisMessage {
    fn payload(&self) -> &[u8] {
        &self.delivery.data()[self.payload..]
    }

    fn headers(&self) -> &HeaderMap {
        self.headers.get_or_init(|| Box::new(self.build_headers()))
    }

    fn partition_key(&self) -> Option<&[u8]> {
        self.delivery.partition_key().map(str::as_bytes)
    }

    /// Marks the record handled. Where that moves the shard's watermark, this returns once the
    /// checkpoint is stored, or at once with a
    /// [`checkpoint_interval`](crate::KinesisStream::checkpoint_interval). A future that is dropped
    /// has marked the record all the same; the next acknowledgement or renewal stores it.
    ///
    /// # Errors
    ///
    /// [`KinesisError::Lease`] where the store failed the call or another owner took the shard;
    /// [`KinesisError::NotConnected`] after the shutdown.
    async fn ack(self) -> Result<(), AckError> {
        self.delivery.settle(false).await.map_err(broker_error)
    }

    /// Without `requeue`, checkpoints past the record as [`ack`](Self::ack) does. With it, leaves
    /// the record unhandled: the shard replays from it when its lease is next taken.
    ///
    /// # Errors
    ///
    /// [`AckError::Unsupported`] with `requeue`: a shard repositions, it cannot requeue one record.
    /// [`KinesisError::NotConnected`] after the shutdown, either way. Without `requeue`, as
    /// [`ack`](Self::ack), but a store that failed the call is reported on the subscription instead:
    /// the record is not going to be read again, so its retry copy must not be held back.
    async fn nack(self, requeue: bool) -> Result<(), AckError> {
        if requeue {
            self.delivery.leave().map_err(broker_error)?;
            return Err(AckError::Unsupported);
        }
        self.delivery.settle(true).await.map_err(broker_error)
    }
}

impl Partitioned for KinesisMessage {
    fn partition_key(&self) -> Option<&[u8]> {
        IncomingMessage::partition_key(self)
    }
}

impl Positioned for KinesisMessage {
    type Position = KinesisPosition;

    fn position(&self) -> KinesisPosition {
        KinesisPosition::sequence(self.delivery.shard(), self.delivery.sequence())
    }
}

impl fmt::Debug for KinesisMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KinesisMessage")
            .field("shard", &self.delivery.shard())
            .field("sequence", &self.delivery.sequence())
            .field("payload_bytes", &self.payload().len())
            .finish_non_exhaustive()
    }
}

//! The live publisher: one publish is one `PutRecord`.

use std::fmt;
use std::sync::Arc;

use ruststream::{HeaderMap, OutgoingFor, Publisher, Take};

use crate::context::DELIVERY_HEADERS;
use crate::error::KinesisError;
use crate::publish::{self, KinesisPublish, KinesisPublishOptions};
use crate::rules::{envelope, stream_ref};
use crate::transport::{Link, Record};

/// Publishes records to streams named by name or by ARN.
///
/// It outlives the connection: after the shutdown a publish answers
/// [`KinesisError::NotConnected`].
#[derive(Clone)]
pub struct KinesisPublisher {
    link: Arc<Link>,
    policy: KinesisPublish,
}

impl KinesisPublisher {
    pub(crate) fn new(link: Arc<Link>, policy: KinesisPublish) -> Self {
        Self { link, policy }
    }
}

/// Resolves the partition key and writes the envelope.
///
/// # Errors
///
/// [`KinesisError::Publish`] for a destination or a key the service would refuse.
pub(crate) fn record<'a>(
    stream: &'a str,
    payload: Vec<u8>,
    mut headers: HeaderMap,
    options: Option<&KinesisPublishOptions>,
    policy: &KinesisPublish,
) -> Result<Record<'a>, KinesisError> {
    let refused = |reason| KinesisError::publish(stream, reason);
    let named = stream_ref::parse(stream).map_err(refused)?;
    let resolved = publish::resolve(options, &headers, policy).map_err(refused)?;
    // The key travels in the record's own field, and a retry copy carries the headers of the
    // delivery it copies: none of these belongs into the envelope.
    for name in DELIVERY_HEADERS {
        headers.remove(name);
    }
    Ok(Record {
        stream: named,
        partition_key: resolved.partition_key,
        data: envelope::encode(|| headers.iter(), payload),
    })
}

impl Publisher for KinesisPublisher {
    type Payload = Take;
    type Error = KinesisError;
    type Options = KinesisPublishOptions;

    /// Writes one record and returns once the service has it: five seconds an attempt, fifteen in
    /// all. An attempt whose answer was lost is repeated, so a record may be written twice.
    ///
    /// A record with its partition key is at most 10 MiB, and as much less as the stream is set to;
    /// in process it is 1 MiB. Dropping the future does not tell whether the record was written.
    ///
    /// # Errors
    ///
    /// [`KinesisError::Publish`] where the destination, the key or the size is over a limit, before
    /// any call, and where the service refuses the record or does not answer;
    /// [`KinesisError::NotConnected`] before the connect and after the shutdown.
    async fn publish(
        &self,
        message: OutgoingFor<'_, Take>,
        options: Option<&KinesisPublishOptions>,
    ) -> Result<(), KinesisError> {
        let transport = self.link.transport()?;
        let (stream, payload, headers) = message.into_parts();
        let record = record(stream, payload.into(), headers, options, &self.policy)?;
        // The call's own future is deep, and every publish of a service would carry it.
        Box::pin(transport.put(record)).await
    }
}

impl fmt::Debug for KinesisPublisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KinesisPublisher")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

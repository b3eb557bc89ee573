//! The crate's one error enum.

use std::error::Error;

use crate::lease::LeaseError;
use crate::sdk_error::{Failure, Kind};

/// A boxed cause: the SDK's layered error types are formatted with their whole chain rather than
/// leaked into signatures.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// What can go wrong between a service and its streams, by where it comes from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KinesisError {
    /// The AWS configuration does not resolve: no region is named anywhere, or the default chain
    /// took more than eight seconds.
    #[error("the AWS configuration is unusable: {0}")]
    Config(String),

    /// A call about a stream as a whole failed: it is missing, cannot be created, or cannot be
    /// listed.
    #[error("stream '{stream}': {source}")]
    Stream {
        /// The stream, as its descriptor names it.
        stream: String,
        /// What the service, or the way to it, answered.
        source: Box<dyn Error + Send + Sync>,
    },

    /// A shard could not be read or repositioned.
    #[error("shard '{shard}' of stream '{stream}': {source}")]
    Read {
        /// The stream, as its descriptor names it.
        stream: String,
        /// The shard's id.
        shard: String,
        /// What the service, or the way to it, answered.
        source: Box<dyn Error + Send + Sync>,
    },

    /// A record holds several user records in the KPL's aggregated format, which this crate does
    /// not take apart. The record is passed by and the shard reads on.
    #[error("shard '{shard}' holds a KPL-aggregated record, which this crate does not take apart")]
    AggregatedRecord {
        /// The shard's id.
        shard: String,
    },

    /// A record was refused, by a limit checked before the call or by the service.
    #[error("publishing to stream '{stream}': {source}")]
    Publish {
        /// The destination, as the publish names it.
        stream: String,
        /// The limit, or what the service answered.
        source: Box<dyn Error + Send + Sync>,
    },

    /// The lease store failed a call, or another owner holds the shard's lease.
    #[error("the lease of shard '{shard}' of stream '{stream}': {source}")]
    Lease {
        /// The stream, as its descriptor names it.
        stream: String,
        /// The shard's id.
        shard: String,
        /// What the store answered.
        source: LeaseError,
    },

    /// The broker is not connected: it has not been yet, or it was shut down.
    #[error("the Kinesis broker is not connected")]
    NotConnected,

    /// This broker already reads the stream; a second subscription would share its leases and lose
    /// records. Dropping the first one frees the stream.
    #[error(
        "stream '{stream}' already has a subscription on this broker: one handler reads a stream, \
         and a second one would share its leases"
    )]
    AlreadySubscribed {
        /// The stream, as the refused descriptor names it.
        stream: String,
    },

    /// A descriptor, a position or a setting that no service would take; nothing was called.
    #[error("{0}")]
    Invalid(String),
}

impl KinesisError {
    /// Whether the service answered that there is no such stream or shard, in this account and
    /// region. In process every stream is there, so this is always `false`.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        let (Self::Stream { source, .. }
        | Self::Read { source, .. }
        | Self::Publish { source, .. }) = self
        else {
            return false;
        };
        let failure = source.downcast_ref::<Failure>();
        failure.is_some_and(|failure| failure.kind() == Kind::NotFound)
    }

    pub(crate) fn stream(stream: &str, source: impl Into<Cause>) -> Self {
        Self::Stream {
            stream: stream.to_owned(),
            source: source.into(),
        }
    }

    pub(crate) fn read(stream: &str, shard: &str, source: impl Into<Cause>) -> Self {
        Self::Read {
            stream: stream.to_owned(),
            shard: shard.to_owned(),
            source: source.into(),
        }
    }

    pub(crate) fn publish(stream: &str, source: impl Into<Cause>) -> Self {
        Self::Publish {
            stream: stream.to_owned(),
            source: source.into(),
        }
    }

    pub(crate) fn lease(stream: &str, shard: &str, source: impl Into<LeaseError>) -> Self {
        Self::Lease {
            stream: stream.to_owned(),
            shard: shard.to_owned(),
            source: source.into(),
        }
    }
}

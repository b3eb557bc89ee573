//! What a failed call says, told apart by what a reader or a publisher does about it.

use std::error::Error;
use std::fmt;

use aws_sdk_kinesis::error::{ProvideErrorMetadata, SdkError};

use crate::error_chain::error_chain;
use crate::rules::reader::Refusal;

/// A failed call: what it was, where it went, and the whole chain of causes.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    text: String,
}

/// What a failure asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The account or the shard is over its rate: wait and ask again.
    Throttled,
    /// The iterator is older than five minutes, or the list token than its lifetime.
    Expired,
    /// The service does not take an argument: a sequence number that is not the shard's.
    InvalidArgument,
    /// The stream, or the shard, is not there.
    NotFound,
    /// The stream is in a state that does not allow the call.
    InUse,
    /// Anything else: a fault of the service, or of the way to it.
    Other,
}

impl Failure {
    /// Formats `error` of a call of `operation` at `address`.
    pub(crate) fn new<E>(operation: &str, address: &str, error: &SdkError<E>) -> Self
    where
        E: Error + ProvideErrorMetadata + 'static,
    {
        let kind = match error
            .as_service_error()
            .and_then(ProvideErrorMetadata::code)
        {
            Some(
                "ProvisionedThroughputExceededException"
                | "LimitExceededException"
                | "ThrottlingException"
                | "KMSThrottlingException",
            ) => Kind::Throttled,
            Some("ExpiredIteratorException" | "ExpiredNextTokenException") => Kind::Expired,
            Some("InvalidArgumentException") => Kind::InvalidArgument,
            Some("ResourceNotFoundException") => Kind::NotFound,
            Some("ResourceInUseException") => Kind::InUse,
            _ => Kind::Other,
        };
        Self {
            kind,
            text: format!("{operation} at {address}: {}", error_chain(error)),
        }
    }

    /// A failure that no answer of the service stands behind.
    pub(crate) fn unanswered(operation: &str, address: &str, text: impl fmt::Display) -> Self {
        Self {
            kind: Kind::Other,
            text: format!("{operation} at {address}: {text}"),
        }
    }

    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }

    /// What it means for who opens or reads a shard.
    pub(crate) const fn refusal(&self) -> Refusal {
        match self.kind {
            Kind::Throttled => Refusal::Throttled,
            Kind::InvalidArgument => Refusal::NoSuchPlace,
            _ => Refusal::Transient,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Failure {}

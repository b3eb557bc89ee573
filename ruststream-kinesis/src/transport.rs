//! The one switch: a connected broker talks to the service, or to the log in this process.

use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use crate::error::KinesisError;
#[cfg(feature = "testing")]
use crate::in_process;
use crate::monitor::StreamSnapshot;
use crate::position::KinesisPosition;
use crate::rules::stream_ref::StreamRef;
use crate::service::{self, ReadLimit};
use crate::stream::KinesisStream;

/// One record as it goes to the service.
pub(crate) struct Record<'a> {
    pub(crate) stream: StreamRef<'a>,
    pub(crate) partition_key: String,
    pub(crate) data: Vec<u8>,
}

/// What a broker shares with the handles it gives out: empty until it connects.
#[derive(Default)]
pub(crate) struct Link {
    transport: OnceLock<Transport>,
}

impl Link {
    /// # Errors
    ///
    /// Where the link is connected already, which a broker consumed by `connect` never is.
    pub(crate) fn connect(&self, transport: Transport) -> Result<(), KinesisError> {
        self.transport
            .set(transport)
            .map_err(|_| KinesisError::Config("the broker is connected already".to_owned()))
    }

    /// # Errors
    ///
    /// [`KinesisError::NotConnected`] before the connect and after the shutdown.
    pub(crate) fn transport(&self) -> Result<&Transport, KinesisError> {
        self.transport
            .get()
            .filter(|transport| !transport.is_closed())
            .ok_or(KinesisError::NotConnected)
    }
}

pub(crate) enum Transport {
    Service(Arc<service::Connection>),
    #[cfg(feature = "testing")]
    InProcess(Arc<in_process::Log>),
}

impl Transport {
    fn is_closed(&self) -> bool {
        match self {
            Self::Service(connection) => connection.is_closed(),
            #[cfg(feature = "testing")]
            Self::InProcess(log) => log.is_closed(),
        }
    }

    pub(crate) async fn open(&self, stream: &KinesisStream) -> Result<Subscription, KinesisError> {
        match self {
            Self::Service(connection) => connection.open(stream).await.map(Subscription::Service),
            #[cfg(feature = "testing")]
            Self::InProcess(log) => log.open(stream).map(Subscription::InProcess),
        }
    }

    pub(crate) async fn put(&self, record: Record<'_>) -> Result<(), KinesisError> {
        let Record {
            stream,
            partition_key,
            data,
        } = record;
        match self {
            Self::Service(connection) => connection.put(stream, partition_key, data).await,
            #[cfg(feature = "testing")]
            Self::InProcess(log) => log.put(stream, partition_key, data),
        }
    }

    pub(crate) async fn shutdown(&self) {
        match self {
            Self::Service(connection) => connection.shutdown().await,
            #[cfg(feature = "testing")]
            Self::InProcess(log) => log.shutdown(),
        }
    }

    pub(crate) fn snapshot(&self) -> Vec<StreamSnapshot> {
        match self {
            Self::Service(connection) => connection.snapshot(),
            #[cfg(feature = "testing")]
            Self::InProcess(_) => Vec::new(),
        }
    }
}

/// A live subscription.
pub(crate) enum Subscription {
    Service(service::Subscription),
    #[cfg(feature = "testing")]
    InProcess(in_process::Subscription),
}

impl Subscription {
    /// How many records a read asks for.
    pub(crate) fn read_limit(&self) -> ReadLimit {
        match self {
            Self::Service(subscription) => subscription.read_limit(),
            // The log in this process is read record by record.
            #[cfg(feature = "testing")]
            Self::InProcess(_) => ReadLimit::default(),
        }
    }

    pub(crate) fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Delivery, KinesisError>>> {
        match self {
            Self::Service(subscription) => subscription.poll_next(cx).map_ok(Delivery::Service),
            #[cfg(feature = "testing")]
            Self::InProcess(subscription) => subscription.poll_next(cx).map_ok(Delivery::InProcess),
        }
    }

    pub(crate) fn seek(&self) -> Seek {
        match self {
            Self::Service(subscription) => Seek::Service(subscription.seek()),
            #[cfg(feature = "testing")]
            Self::InProcess(subscription) => Seek::InProcess(subscription.seek()),
        }
    }
}

/// One record, what it needs to be settled, and where it comes from.
pub(crate) enum Delivery {
    Service(service::Delivery),
    #[cfg(feature = "testing")]
    InProcess(in_process::Delivery),
}

impl Delivery {
    /// The record's bytes, envelope and all.
    pub(crate) fn data(&self) -> &[u8] {
        match self {
            Self::Service(delivery) => delivery.data(),
            #[cfg(feature = "testing")]
            Self::InProcess(delivery) => delivery.data(),
        }
    }

    pub(crate) fn sequence(&self) -> &str {
        match self {
            Self::Service(delivery) => delivery.sequence(),
            #[cfg(feature = "testing")]
            Self::InProcess(delivery) => delivery.sequence(),
        }
    }

    pub(crate) fn partition_key(&self) -> Option<&str> {
        match self {
            Self::Service(delivery) => delivery.partition_key(),
            #[cfg(feature = "testing")]
            Self::InProcess(delivery) => delivery.partition_key(),
        }
    }

    pub(crate) fn shard(&self) -> &str {
        match self {
            Self::Service(delivery) => delivery.shard(),
            #[cfg(feature = "testing")]
            Self::InProcess(delivery) => delivery.shard(),
        }
    }

    pub(crate) fn seek(&self) -> Seek {
        match self {
            Self::Service(delivery) => Seek::Service(delivery.seek()),
            #[cfg(feature = "testing")]
            Self::InProcess(delivery) => Seek::InProcess(delivery.seek()),
        }
    }

    /// Whether the subscription was moved since the record was handed over.
    pub(crate) fn is_stale(&self) -> bool {
        match self {
            Self::Service(delivery) => delivery.is_stale(),
            #[cfg(feature = "testing")]
            Self::InProcess(delivery) => delivery.is_stale(),
        }
    }

    /// Marks the record handled. `certain` asks for an error only where the record is sure to be
    /// read again.
    pub(crate) async fn settle(self, certain: bool) -> Result<(), KinesisError> {
        match self {
            Self::Service(delivery) => delivery.settle(certain).await,
            #[cfg(feature = "testing")]
            Self::InProcess(delivery) => delivery.settle(),
        }
    }

    /// Leaves the record unhandled.
    pub(crate) fn leave(self) -> Result<(), KinesisError> {
        match self {
            Self::Service(delivery) => delivery.leave(),
            #[cfg(feature = "testing")]
            Self::InProcess(delivery) => delivery.leave(),
        }
    }
}

/// The way from a handle to the subscription it repositions.
#[derive(Clone)]
pub(crate) enum Seek {
    Service(service::Seek),
    #[cfg(feature = "testing")]
    InProcess(in_process::Seek),
}

impl Seek {
    pub(crate) async fn to(&self, position: KinesisPosition) -> Result<(), KinesisError> {
        match self {
            Self::Service(seek) => seek.to(position).await,
            #[cfg(feature = "testing")]
            Self::InProcess(seek) => seek.to(&position),
        }
    }
}

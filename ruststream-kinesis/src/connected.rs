//! The broker once it is connected, and what is left of it after the shutdown.

use std::fmt;
use std::sync::Arc;

use ruststream::{AddressedCopies, ConnectedBroker, DefaultPublish, Subscribe};

use crate::error::KinesisError;
use crate::monitor::{KinesisMonitor, StreamSnapshot};
use crate::publish::KinesisPublish;
use crate::publisher::KinesisPublisher;
use crate::stream::KinesisStream;
use crate::subscriber::KinesisSubscriber;
use crate::transport::Link;

/// A connected broker: subscriptions open on it and publishers are paired with it.
///
/// The shutdown consumes it, so that subscribing afterwards does not compile. Handles given out
/// earlier outlive it and answer [`KinesisError::NotConnected`].
pub struct ConnectedKinesisBroker {
    pub(crate) link: Arc<Link>,
}

/// The witness that a broker was shut down: what was acknowledged is checkpointed and its leases are
/// released, as far as the lease store answered in time. What it did not release expires.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClosedKinesisBroker;

impl ConnectedKinesisBroker {
    pub(crate) fn new(link: Arc<Link>) -> Self {
        Self { link }
    }

    /// A publisher with the default policy.
    #[must_use]
    pub fn publisher(&self) -> KinesisPublisher {
        self.pair(KinesisPublish::default())
    }

    /// Opens a subscription to `stream`.
    ///
    /// Returns once every shard it took has its starting cursor, so a record published afterwards
    /// is read. A subscription to the same stream that was just dropped is waited for, up to eight
    /// seconds. Dropping the returned future leaves no subscription behind.
    ///
    /// # Errors
    ///
    /// [`KinesisError::Invalid`] for a descriptor no service would take, before any call;
    /// [`KinesisError::Stream`] where the stream is missing, cannot be listed, or is not usable
    /// within a minute of its creation; [`KinesisError::AlreadySubscribed`] where this broker reads
    /// the stream already; [`KinesisError::NotConnected`] after the shutdown.
    pub async fn subscribe_stream(
        &self,
        stream: KinesisStream,
    ) -> Result<KinesisSubscriber, KinesisError> {
        self.open(&stream).await
    }

    /// How far the subscriptions of this broker have read, and who else reads their streams; as
    /// [`KinesisMonitor::streams`](crate::KinesisMonitor::streams).
    #[must_use]
    pub fn snapshot(&self) -> Vec<StreamSnapshot> {
        KinesisMonitor::new(Arc::clone(&self.link)).streams()
    }

    pub(crate) async fn open(
        &self,
        stream: &KinesisStream,
    ) -> Result<KinesisSubscriber, KinesisError> {
        stream
            .check()
            .map_err(|reason| KinesisError::Invalid(format!("'{}': {reason}", stream.stream())))?;
        let subscription = self.link.transport()?.open(stream).await?;
        Ok(KinesisSubscriber::new(stream.stream(), subscription))
    }

    pub(crate) fn pair(&self, policy: KinesisPublish) -> KinesisPublisher {
        KinesisPublisher::new(Arc::clone(&self.link), policy)
    }
}

impl ConnectedBroker for ConnectedKinesisBroker {
    type Error = KinesisError;
    type Closed = ClosedKinesisBroker;

    /// Stops every subscription, stores the last checkpoints and releases the leases; takes eight
    /// seconds at most, whatever the lease store does. Deliveries in flight are not waited for.
    ///
    /// # Errors
    ///
    /// None on a broker that is connected, as this one is.
    async fn shutdown(self) -> Result<ClosedKinesisBroker, KinesisError> {
        self.link.transport()?.shutdown().await;
        Ok(ClosedKinesisBroker)
    }
}

impl Subscribe for ConnectedKinesisBroker {
    type Subscriber = KinesisSubscriber;
    type Copies = AddressedCopies;

    /// Opens exactly as the descriptor with its defaults does.
    async fn subscribe(&self, name: &str) -> Result<KinesisSubscriber, KinesisError> {
        self.open(&KinesisStream::new(name)).await
    }
}

impl DefaultPublish for ConnectedKinesisBroker {
    type Policy = KinesisPublish;
}

impl fmt::Debug for ConnectedKinesisBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectedKinesisBroker")
            .finish_non_exhaustive()
    }
}

//! Where a body runs: in process, or against a service.

use ruststream::conformance::harness::InProcessBroker;
use ruststream::runtime::App;
use ruststream::testing::{TestApp, TestError};
use ruststream::{Broker, Connected};
use ruststream_kinesis::{ConnectedKinesisBroker, KinesisBroker, KinesisError, KinesisStream};

/// What the bodies ask of the place they run in.
///
/// A stand that dials a service answers a `source` that creates its stream with one shard and polls
/// often, a `service` that dials the same endpoint, and a `start` that creates the streams first.
pub trait Stand: Clone + Send + Sync + 'static {
    /// The broker the framework's suites connect.
    type Broker: Broker<Connected = ConnectedKinesisBroker, Error = KinesisError> + Send + 'static;

    /// A broker for the framework's suites, not connected.
    fn broker(&self) -> Self::Broker;

    /// The descriptor a suite subscribes with.
    fn source(&self, stream: &str) -> KinesisStream;

    /// The production broker an app registers.
    fn service(&self) -> KinesisBroker;

    /// Starts an app whose subscriptions read `streams`.
    ///
    /// # Errors
    ///
    /// What the framework's harness answers.
    fn start<A>(
        &self,
        app: A,
        streams: &[&str],
    ) -> impl Future<Output = Result<TestApp<A::State>, TestError>>
    where
        A: App,
        A::State: Send + Sync + 'static;

    /// Connects a broker of the framework's suites.
    ///
    /// # Errors
    ///
    /// What the broker answers.
    fn connect(&self) -> impl Future<Output = Result<Connected<Self::Broker>, KinesisError>> {
        self.broker().connect()
    }
}

/// The log in this process.
#[derive(Debug, Clone, Copy)]
pub struct InProcess;

impl Stand for InProcess {
    type Broker = InProcessBroker<KinesisBroker>;

    fn broker(&self) -> Self::Broker {
        InProcessBroker::new(KinesisBroker::new())
    }

    fn source(&self, stream: &str) -> KinesisStream {
        KinesisStream::new(stream)
    }

    fn service(&self) -> KinesisBroker {
        KinesisBroker::new()
    }

    async fn start<A>(&self, app: A, _streams: &[&str]) -> Result<TestApp<A::State>, TestError>
    where
        A: App,
        A::State: Send + Sync + 'static,
    {
        TestApp::start(app).await
    }
}

//! The stand that dials a service: an embedded stack, or the endpoint the environment names.

use std::sync::LazyLock;
use std::time::Duration;

use kinesis_stack::KinesisStack;
use ruststream::runtime::App;
use ruststream::testing::{TestApp, TestError};
use ruststream_kinesis::{KinesisBroker, KinesisStream};

use crate::live::{self, Endpoint};
use crate::stand::Stand;

/// One stack for all tests of a process; every stream a test names is there, with one shard.
static STACK: LazyLock<KinesisStack> =
    LazyLock::new(|| KinesisStack::builder().streams_on_use(1).start());

/// A service somewhere.
#[derive(Debug, Clone, Copy)]
pub struct Live {
    endpoint: &'static str,
}

impl Live {
    /// The embedded stack, whatever the environment names: for a body that needs its streams to be
    /// there without having been created.
    #[must_use]
    pub fn embedded() -> Self {
        Self {
            endpoint: STACK.endpoint(),
        }
    }

    /// An embedded stack that no other body shares: for an app, whose streams have fixed names.
    #[must_use]
    pub fn alone() -> Self {
        // Handed around by copy, it lasts as long as the process.
        let stack = Box::leak(Box::new(KinesisStack::builder().streams_on_use(1).start()));
        Self {
            endpoint: stack.endpoint(),
        }
    }

    /// The endpoint of the environment where it names one, otherwise the embedded stack.
    ///
    /// `None` where the named endpoint does not answer: see [`or_skip!`](crate::or_skip).
    pub async fn of_environment() -> Option<Self> {
        let live = match live::of_environment().await? {
            Endpoint::Embedded => Self::embedded(),
            Endpoint::Named(endpoint) => Self { endpoint },
        };
        Some(live)
    }
}

impl Stand for Live {
    type Broker = KinesisBroker;

    fn broker(&self) -> KinesisBroker {
        live::broker(self.endpoint)
    }

    fn source(&self, stream: &str) -> KinesisStream {
        KinesisStream::new(stream)
            .create_if_missing(1)
            .poll_interval(Duration::from_millis(200))
    }

    fn service(&self) -> KinesisBroker {
        self.broker()
    }

    async fn start<A>(&self, app: A, streams: &[&str]) -> Result<TestApp<A::State>, TestError>
    where
        A: App,
        A::State: Send + Sync + 'static,
    {
        use ruststream::{Broker, ConnectedBroker};
        let connected = self.broker().connect().await.expect("a service is there");
        for stream in streams {
            let opened = connected.subscribe_stream(self.source(stream)).await;
            drop(opened.expect("the stream is created"));
        }
        connected.shutdown().await.expect("the broker shuts down");
        TestApp::start_live(app).await
    }
}

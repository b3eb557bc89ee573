//! Another process, or another thread, as far as a test can tell.

use std::process::Command;

use ruststream::Broker;
use ruststream_kinesis::{ConnectedKinesisBroker, KinesisBroker, KinesisStream, KinesisSubscriber};
use tokio::runtime::{Builder, Runtime};

use super::within;

/// Set in a process that runs one test alone, with an environment of its own.
const ALONE: &str = "KINESIS_TEST_ALONE";

/// Whether this process is the one for the test `name`; otherwise that one is run to its end.
#[must_use]
pub fn alone(name: &str, environment: &[(&str, &str)]) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let this = std::env::current_exe().expect("a test has an executable");
    let ran = Command::new(this)
        .args(["--exact", "--nocapture", name])
        .env_clear()
        .envs(environment.iter().copied())
        .envs([
            (ALONE, "1"),
            ("HOME", "/nonexistent"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ])
        .output()
        .expect("the test runs");
    let [said, panicked] = [&ran.stdout, &ran.stderr].map(|said| String::from_utf8_lossy(said));
    let passed = ran.status.success() && said.contains("1 passed");
    assert!(passed, "{said}{panicked}");
    false
}

/// A runtime for the thread that calls.
#[must_use]
pub fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime starts")
}

/// A runtime that stands for another process: what runs on it can be killed.
#[derive(Debug)]
pub struct Process {
    runtime: Option<Runtime>,
}

impl Process {
    /// Starts one.
    #[must_use]
    pub fn start() -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        Self {
            runtime: Some(runtime.expect("a runtime starts")),
        }
    }

    /// Runs `future` in it.
    pub async fn run<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let runtime = self.runtime.as_ref().expect("the process lives");
        within(runtime.spawn(future)).await.expect("no panic")
    }

    /// Connects that broker in it and opens that stream.
    pub async fn subscribe(
        &self,
        broker: KinesisBroker,
        stream: KinesisStream,
    ) -> (ConnectedKinesisBroker, KinesisSubscriber) {
        self.run(async move {
            let connected = broker.connect().await.expect("the broker connects");
            let subscriber = connected.subscribe_stream(stream).await;
            (connected, subscriber.expect("the subscription opens"))
        })
        .await
    }

    /// Ends it where it stands, as `kill -9` does.
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

//! The clients of Kinesis.

use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::Builder;
use aws_sdk_kinesis::config::retry::RetryConfig;
use aws_sdk_kinesis::config::timeout::TimeoutConfig;
use tokio::runtime::{Handle, Id};

use crate::per_runtime::PerRuntime;

/// How long one attempt of a call may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call may take with its retries.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a connection may take to open.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a `GetRecords` may go without an answer beginning.
const READ_ANSWERED_WITHIN: Duration = Duration::from_secs(8);
/// How long one `GetRecords` may take in all; its page may hold 10 MiB.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) struct Clients {
    settings: Builder,
    home: Id,
    client: Client,
    reads: Client,
    foreign: PerRuntime<Client>,
}

impl Clients {
    /// Clients for calls from `runtime` and from every other.
    pub(crate) fn new(config: &SdkConfig, endpoint: Option<String>, runtime: &Handle) -> Self {
        let mut settings = Builder::from(config);
        settings.set_endpoint_url(endpoint);
        let reads = Client::from_conf(
            settings
                .clone()
                // The reader's own pacing decides when a read is repeated.
                .retry_config(RetryConfig::disabled())
                .timeout_config(
                    TimeoutConfig::builder()
                        .connect_timeout(CONNECT_TIMEOUT)
                        .read_timeout(READ_ANSWERED_WITHIN)
                        .operation_attempt_timeout(READ_TIMEOUT)
                        .operation_timeout(READ_TIMEOUT)
                        .build(),
                )
                .build(),
        );
        Self {
            home: runtime.id(),
            client: client(&settings),
            reads,
            foreign: PerRuntime::default(),
            settings,
        }
    }

    /// The client of the broker's runtime.
    pub(crate) fn home(&self) -> &Client {
        &self.client
    }

    /// The client of the broker's runtime that reads shards.
    pub(crate) fn reads(&self) -> &Client {
        &self.reads
    }

    /// The client of the calling runtime.
    pub(crate) fn current(&self) -> Client {
        match Handle::try_current() {
            Ok(runtime) if runtime.id() != self.home => {
                self.foreign.current(|| client(&self.settings))
            }
            _ => self.client.clone(),
        }
    }
}

fn client(settings: &Builder) -> Client {
    Client::from_conf(
        settings
            .clone()
            .timeout_config(
                TimeoutConfig::builder()
                    .connect_timeout(CONNECT_TIMEOUT)
                    .operation_attempt_timeout(ATTEMPT_TIMEOUT)
                    .operation_timeout(OPERATION_TIMEOUT)
                    .build(),
            )
            .build(),
    )
}

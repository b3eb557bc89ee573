//! One client per runtime.
//!
//! A client's connections live on the runtime that first used them, so a handler on a dedicated
//! thread gets a client of its own, built from the same config.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::Builder;
use aws_sdk_kinesis::config::retry::RetryConfig;
use aws_sdk_kinesis::config::timeout::TimeoutConfig;
use tokio::runtime::{Handle, Id};

/// How long one attempt of a call may take.
pub(crate) const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call may take with its retries.
pub(crate) const OPERATION_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a connection may take to open.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a `GetRecords` may go without an answer beginning.
const READ_ANSWERED_WITHIN: Duration = Duration::from_secs(8);
/// How long one `GetRecords` may take in all; its page may hold 10 MiB.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// How many foreign runtimes are remembered; the longest unused one is forgotten first, and with
/// it the clients of runtimes that are gone.
const REMEMBERED_RUNTIMES: usize = 64;

pub(crate) struct Clients {
    settings: Builder,
    home: Id,
    client: Client,
    reads: Client,
    /// The most recently used last.
    foreign: Mutex<Vec<(Id, Client)>>,
}

impl Clients {
    /// Clients for calls from `runtime` and from every other.
    pub(crate) fn new(config: &SdkConfig, endpoint: Option<String>, runtime: &Handle) -> Self {
        let mut settings = Builder::from(config);
        if endpoint.is_some() {
            // Set here it wins over the endpoints that the environment names for the service.
            settings.set_endpoint_url(endpoint);
        }
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
            foreign: Mutex::default(),
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
        let Ok(runtime) = Handle::try_current() else {
            return self.client.clone();
        };
        let id = runtime.id();
        if id == self.home {
            return self.client.clone();
        }
        let mut foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match foreign.iter().position(|(known, _)| *known == id) {
            Some(at) => foreign.remove(at).1,
            None => client(&self.settings),
        };
        if foreign.len() == REMEMBERED_RUNTIMES {
            foreign.remove(0);
        }
        foreign.push((id, found.clone()));
        found
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

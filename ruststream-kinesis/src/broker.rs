//! The broker as configuration: what it will dial, and as whom.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::config::{Credentials, SharedCredentialsProvider};
use ruststream::{Broker, ServerSpec};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::connected::ConnectedKinesisBroker;
use crate::endpoint;
use crate::error::KinesisError;
use crate::lease::{LeaseStore, LeaseTimings, MemoryLeaseStore};
use crate::monitor::KinesisMonitor;
use crate::nonce;
use crate::publish::KinesisPublish;
use crate::publisher::KinesisPublisher;
use crate::rules;
use crate::service::{Connection, Setup};
use crate::transport::{Link, Transport};

/// How long the region and the credentials chain may take to resolve.
const CONFIG_TIMEOUT: Duration = Duration::from_secs(8);

/// The connection settings of one AWS account and region.
///
/// Building one does no I/O: what is left out resolves from the environment when the runtime
/// connects the broker.
#[must_use]
pub struct KinesisBroker {
    pub(crate) config: Option<SdkConfig>,
    pub(crate) endpoint: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) link: Arc<Link>,
    test_credentials: bool,
    leases: Option<Arc<dyn LeaseStore>>,
    timings: LeaseTimings,
    max_leases: Option<usize>,
    owner_id: Option<String>,
}

impl KinesisBroker {
    /// A broker whose region and credentials resolve from the environment through the AWS default
    /// chain.
    pub fn new() -> Self {
        Self {
            config: None,
            endpoint: None,
            region: None,
            link: Arc::default(),
            test_credentials: false,
            leases: None,
            timings: LeaseTimings::default(),
            max_leases: None,
            owner_id: None,
        }
    }

    /// A broker on an AWS config built elsewhere, which a shared lease store needs as well.
    ///
    /// A config that brings its own HTTP client shares that client's connections between runtimes;
    /// without one each runtime keeps its own.
    pub fn from_config(config: SdkConfig) -> Self {
        Self {
            config: Some(config),
            ..Self::new()
        }
    }

    /// The endpoint to dial instead of the region's own, such as `http://127.0.0.1:4567`.
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoint = Some(url.into());
        self
    }

    /// The region, such as `eu-west-1`, instead of the environment's.
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Dummy static credentials, for a local stack that wants them present and ignores their
    /// values.
    pub fn test_credentials(mut self) -> Self {
        self.test_credentials = true;
        self
    }

    /// The store that keeps leases and checkpoints; a [`MemoryLeaseStore`] of this broker's own
    /// when left out, which is correct for a single instance of a service.
    pub fn lease_store(mut self, store: Arc<dyn LeaseStore>) -> Self {
        self.leases = Some(store);
        self
    }

    /// How long leases last and how often they are renewed; ten and three seconds when left out.
    /// Timings that contradict each other fail the connect.
    pub fn lease_timings(mut self, timings: LeaseTimings) -> Self {
        self.timings = timings;
        self
    }

    /// The most shards this instance reads of each stream; as many as it gets when left out. The
    /// instances of a service that say nothing share evenly what those that do leave. Zero fails
    /// the connect.
    pub fn max_leases(mut self, shards: usize) -> Self {
        self.max_leases = Some(shards);
        self
    }

    /// Names this instance in the lease store; the host's name when left out.
    ///
    /// The store sees it followed by a slash and a number drawn at connect, so that two processes
    /// of one deployment never share a lease.
    pub fn owner_id(mut self, id: impl Into<String>) -> Self {
        self.owner_id = Some(id.into());
        self
    }

    /// A publisher over this broker, usable once it is connected: before that, and after the
    /// shutdown, a publish answers [`KinesisError::NotConnected`].
    #[must_use]
    pub fn publisher(&self) -> KinesisPublisher {
        KinesisPublisher::new(Arc::clone(&self.link), KinesisPublish::default())
    }

    /// How far the subscriptions of this broker have read, once it is connected.
    #[must_use]
    pub fn monitor(&self) -> KinesisMonitor {
        KinesisMonitor::new(Arc::clone(&self.link))
    }

    /// Refuses settings no connection can have.
    pub(crate) fn check(&self) -> Result<(), KinesisError> {
        if self.max_leases == Some(0) {
            return Err(KinesisError::Invalid(
                "an instance that may hold no lease reads nothing: `max_leases` is at least 1"
                    .to_owned(),
            ));
        }
        self.timings
            .check()
            .map_err(|reason| KinesisError::Invalid(reason.to_owned()))
    }

    /// The owner string the lease store sees.
    fn owner(&self) -> String {
        let name = self.owner_id.clone().unwrap_or_else(host_name);
        format!("{name}/{:016x}", nonce::draw())
    }

    async fn resolve(&self) -> Result<SdkConfig, KinesisError> {
        let loaded = match &self.config {
            Some(config) => config.clone(),
            None => self.load().await?,
        };
        let mut config = loaded.into_builder();
        if let Some(region) = &self.region {
            config = config.region(Region::new(region.clone()));
        }
        if self.test_credentials {
            config =
                config.credentials_provider(SharedCredentialsProvider::new(test_credentials()));
        }
        let config = config.build();
        if config.region().is_none() {
            return Err(KinesisError::Config(
                "no region: set AWS_REGION, a profile's region, or `KinesisBroker::region(..)`"
                    .to_owned(),
            ));
        }
        Ok(config)
    }

    async fn load(&self) -> Result<SdkConfig, KinesisError> {
        let mut loader = aws_config::defaults(BehaviorVersion::latest());
        // What is given here spares the chain the lookups for it.
        if let Some(region) = &self.region {
            loader = loader.region(Region::new(region.clone()));
        }
        if self.test_credentials {
            loader = loader.credentials_provider(test_credentials());
        }
        timeout(CONFIG_TIMEOUT, loader.load()).await.map_err(|_| {
            KinesisError::Config(format!(
                "the AWS default chain did not resolve within {CONFIG_TIMEOUT:?}"
            ))
        })
    }
}

impl Default for KinesisBroker {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for KinesisBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The endpoint may carry a user name and a password, the config credentials.
        f.debug_struct("KinesisBroker")
            .field("region", &self.region)
            .field("owner_id", &self.owner_id)
            .finish_non_exhaustive()
    }
}

impl Broker for KinesisBroker {
    type Error = KinesisError;
    type Connected = ConnectedKinesisBroker;

    /// Resolves what the configuration leaves out from the environment, within eight seconds. No
    /// call goes to the service yet.
    ///
    /// # Errors
    ///
    /// [`KinesisError::Config`] where no region resolves, or not in time; [`KinesisError::Invalid`]
    /// for lease timings that contradict each other, or no lease at all.
    async fn connect(self) -> Result<ConnectedKinesisBroker, KinesisError> {
        self.check()?;
        let config = self.resolve().await?;
        let owner = self.owner();
        let given = self.endpoint.as_deref();
        let given = given.map(rules::endpoint::without_credentials);
        let endpoint = given.or_else(|| endpoint::of(&config, "Kinesis"));
        let address = address(endpoint.as_deref(), &config);
        let connection = Connection::new(Setup {
            config,
            endpoint,
            address,
            runtime: Handle::current(),
            leases: self
                .leases
                .unwrap_or_else(|| Arc::new(MemoryLeaseStore::new())),
            timings: self.timings,
            max_leases: self.max_leases.unwrap_or(usize::MAX),
            owner,
        });
        self.link.connect(Transport::Service(connection))?;
        Ok(ConnectedKinesisBroker::new(self.link))
    }
}

/// Where calls go, as an error shows it.
fn address(endpoint: Option<&str>, config: &SdkConfig) -> String {
    match endpoint.map(|url| (url.split_once("://"), ServerSpec::host_from_url(url))) {
        Some((Some((scheme, _)), host)) => format!("{scheme}://{host}"),
        Some((None, host)) => host,
        None => {
            let region = config.region().map_or("the region", AsRef::as_ref);
            format!("kinesis.{region}")
        }
    }
}

fn test_credentials() -> Credentials {
    Credentials::new("test", "test", None, None, "test_credentials")
}

/// The host's name where the environment or the kernel tells it.
fn host_name() -> String {
    std::env::var("HOSTNAME")
        .ok()
        .or_else(|| std::fs::read_to_string("/proc/sys/kernel/hostname").ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("process-{}", std::process::id()))
}

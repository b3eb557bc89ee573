//! Which service the live suites run against, and how a test dials it.

use std::env;
use std::io::{Write, stderr};
use std::sync::LazyLock;

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::{BehaviorVersion, Config, Credentials, Region};
use aws_sdk_kinesis::error::SdkError;
use ruststream_kinesis::KinesisBroker;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::PATIENCE;

/// Names the endpoint of the suites that can run against any.
pub const ENDPOINT: &str = "KINESIS_TEST_ENDPOINT";
/// Where it is set, a named endpoint that does not answer fails the tests it was named for.
pub const REQUIRE_LIVE: &str = "RUSTSTREAM_REQUIRE_LIVE";

const REGION: &str = "us-east-1";

/// Where the environment has a test run.
pub(crate) enum Endpoint {
    /// No endpoint is named: a stack in this process.
    Embedded,
    /// There; it answers.
    Named(&'static str),
}

/// What the environment says. `None` where the endpoint it names does not answer: the test has
/// nothing to run against, which fails it with [`REQUIRE_LIVE`] and otherwise is said aloud.
pub(crate) async fn of_environment() -> Option<Endpoint> {
    static NAMED: LazyLock<Option<String>> = LazyLock::new(|| env::var(ENDPOINT).ok());
    static ANSWERS: OnceCell<bool> = OnceCell::const_new();
    let Some(endpoint) = NAMED.as_deref() else {
        return Some(Endpoint::Embedded);
    };
    if *ANSWERS.get_or_init(|| answers(endpoint)).await {
        return Some(Endpoint::Named(endpoint));
    }
    let silent = format!("{ENDPOINT} names {endpoint}, which does not answer");
    assert!(env::var_os(REQUIRE_LIVE).is_none(), "{silent}");
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Past the harness, which shows what a test prints only where it fails.
    let _ = writeln!(stderr(), "skipped {test}: {silent}");
    None
}

async fn answers(endpoint: &str) -> bool {
    let asked = timeout(PATIENCE, client(endpoint).list_streams().send()).await;
    !matches!(
        asked,
        Err(_) | Ok(Err(SdkError::DispatchFailure(_) | SdkError::TimeoutError(_)))
    )
}

/// Ends the test early where the fixture has nothing to run against, which it has said by then.
#[macro_export]
macro_rules! or_skip {
    ($fixture:expr) => {{
        let Some(fixture) = $fixture.await else {
            return;
        };
        fixture
    }};
}

/// The SDK, without anything of ours.
pub(crate) fn client(endpoint: &str) -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::new(REGION))
        .credentials_provider(Credentials::new("key", "secret", None, None, "live"));
    Client::from_conf(config.build())
}

/// A broker that dials `endpoint`.
pub fn broker(endpoint: &str) -> KinesisBroker {
    KinesisBroker::new()
        .endpoint(endpoint)
        .region(REGION)
        .test_credentials()
}

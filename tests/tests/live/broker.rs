//! What a broker dials and as whom, and what it answers where nobody is.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;
use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::config::Credentials;
use kinesis_stack::{Fault, KinesisStack, On};
use ruststream::Broker;
use ruststream_kinesis::{KinesisBroker, KinesisError, KinesisStream, LeaseTimings};
use tests::frozen::Frozen;
use tests::live::{OneStream, SLACK, alone, broker, within};
use tests::store::{Op, RecordingStore};
use tests::wire::publish;

/// How long the broker tries a call for, attempts and all.
const OPERATION: Duration = Duration::from_secs(15);

/// A service that refuses its first call, and tells what that call's head was.
fn refusing_service() -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let served = std::thread::spawn(move || {
        const BODY: &str = r#"{"__type":"ResourceNotFoundException","message":"none"}"#;
        let (mut caller, _) = listener.accept().expect("a caller");
        let mut head = Vec::new();
        let mut some = [0; 1024];
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            let read = caller.read(&mut some).expect("the head of a call");
            assert!(read > 0, "the caller hung up");
            head.extend_from_slice(&some[..read]);
        }
        let length = BODY.len();
        let answer = format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{BODY}"
        );
        // The caller's answer is not what the test is about.
        let _ = caller.write_all(answer.as_bytes());
        String::from_utf8_lossy(&head).into_owned()
    });
    (format!("http://{address}"), served)
}

/// The access key and the region the broker signs its calls with.
async fn signs_with(broker: KinesisBroker) -> (String, String) {
    let (endpoint, served) = refusing_service();
    let connected = broker.endpoint(endpoint).connect().await;
    let connected = connected.expect("the broker connects");
    let opened = connected.subscribe_stream(KinesisStream::new("orders"));
    within(opened).await.expect_err("the service refuses");
    let head = within(tokio::task::spawn_blocking(|| served.join())).await;
    let head = head.expect("no panic").expect("no panic");
    let (_, scope) = head.split_once("Credential=").expect("a signed call");
    let mut parts = scope.split('/').map(str::to_owned);
    let mut part = || parts.next().expect("a scope has its parts");
    let (key, _date, region) = (part(), part(), part());
    (key, region)
}

async fn config(endpoint: &str) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::new("eu-north-1"))
        .credentials_provider(Credentials::new("given", "secret", None, None, "given"))
        .load()
        .await
}

fn pair(key: &str, region: &str) -> (String, String) {
    (key.to_owned(), region.to_owned())
}

#[test]
fn building_a_broker_does_no_io() {
    let stack = KinesisStack::start();
    // Without a runtime there is nothing to do I/O with.
    let broker = broker(stack.endpoint())
        .owner_id("instance-a")
        .lease_store(RecordingStore::new())
        .lease_timings(LeaseTimings::default());
    let (publisher, monitor) = (broker.publisher(), broker.monitor());
    assert!(monitor.streams().is_empty());
    drop((broker, publisher));
    assert!(stack.calls().all().is_empty());
}

#[tokio::test]
async fn the_region_and_the_credentials_resolve_from_the_environment_at_connect() {
    const NAME: &str =
        "broker::the_region_and_the_credentials_resolve_from_the_environment_at_connect";
    let environment = [
        ("AWS_REGION", "sa-east-1"),
        ("AWS_ACCESS_KEY_ID", "environment"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];
    if alone(NAME, &environment) {
        let signed = signs_with(KinesisBroker::new()).await;
        assert_eq!(signed, pair("environment", "sa-east-1"));
    }
}

#[tokio::test]
async fn an_environment_without_a_region_is_an_error_that_says_how_to_name_one() {
    const NAME: &str =
        "broker::an_environment_without_a_region_is_an_error_that_says_how_to_name_one";
    if alone(NAME, &[]) {
        let refused = KinesisBroker::new().test_credentials().connect().await;
        assert_no_region(&refused.expect_err("no region"));
    }
}

#[tokio::test]
async fn a_config_without_a_region_is_an_error_that_says_how_to_name_one() {
    let config = SdkConfig::builder().build();
    let refused = KinesisBroker::from_config(config).connect().await;
    assert_no_region(&refused.expect_err("no region"));
}

fn assert_no_region(error: &KinesisError) {
    assert!(matches!(error, KinesisError::Config(_)), "{error:?}");
    for remedy in ["AWS_REGION", "profile", "KinesisBroker::region"] {
        assert!(error.to_string().contains(remedy), "{error}");
    }
}

#[tokio::test]
async fn a_config_built_elsewhere_gives_the_region_and_the_credentials() {
    let config = config("http://127.0.0.1:1").await;
    let signed = signs_with(KinesisBroker::from_config(config)).await;
    assert_eq!(signed, pair("given", "eu-north-1"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_config_built_elsewhere_gives_the_endpoint() {
    let live = OneStream::embedded(1).await;
    let config = config(live.endpoint()).await;
    live.open(KinesisBroker::from_config(config)).await;
}

#[tokio::test]
async fn what_the_broker_is_told_itself_wins_over_its_config() {
    // `signs_with` names the endpoint.
    let config = config("http://127.0.0.1:1").await;
    let broker = KinesisBroker::from_config(config)
        .region("ap-south-1")
        .test_credentials();
    assert_eq!(signs_with(broker).await, pair("test", "ap-south-1"));
}

#[tokio::test]
async fn lease_timings_that_cannot_hold_a_lease_fail_the_connect() {
    let timings = LeaseTimings::builder()
        .lease_ttl(Duration::from_secs(1))
        .renew_every(Duration::from_secs(2))
        .build();
    let broker = broker("http://127.0.0.1:1").lease_timings(timings);
    let refused = broker.connect().await;
    assert!(
        matches!(refused, Err(KinesisError::Invalid(_))),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_owner_id_names_the_instance_and_a_nonce_tells_its_twins_apart() {
    let live = OneStream::embedded(1).await;
    let mut owners = Vec::new();
    for _ in 0..2 {
        let store = RecordingStore::new();
        let broker = live.broker().lease_store(store.clone());
        live.open(broker.owner_id("instance-a")).await;
        let acquired = store.calls(Op::Acquire);
        owners.push(acquired[0].owner.clone());
    }
    for owner in &owners {
        let (id, nonce) = owner.split_once('/').expect("an id and a nonce");
        assert_eq!(id, "instance-a");
        assert!(!nonce.is_empty());
    }
    assert_ne!(owners[0], owners[1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_without_an_owner_id_is_named_all_the_same() {
    let live = OneStream::embedded(1).await;
    let store = RecordingStore::new();
    live.open(live.broker().lease_store(store.clone())).await;
    let owner = store.calls(Op::Acquire)[0].owner.clone();
    let (id, nonce) = owner.split_once('/').expect("an id and a nonce");
    assert!(!id.is_empty() && !nonce.is_empty(), "{owner}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_where_nobody_listens_is_an_error_that_names_it() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let address = free.expect("a free port").to_string();
    // What the document does not show, an error does not either.
    let endpoint = format!("http://user:hunter2@{address}");
    let connected = broker(&endpoint)
        .connect()
        .await
        .expect("nothing is dialled");
    let publisher = connected.publisher();

    let both = async {
        let opened = connected.subscribe_stream(KinesisStream::new("orders"));
        futures::join!(opened, publish(&publisher, "orders", b"{}"))
    };
    let (opened, sent) = within(both).await;
    let (opened, sent) = (
        opened.expect_err("nobody listens"),
        sent.expect_err("nobody listens"),
    );
    assert!(matches!(&opened, KinesisError::Stream { stream, .. } if stream == "orders"));
    assert!(matches!(&sent, KinesisError::Publish { stream, .. } if stream == "orders"));
    for error in [opened, sent] {
        let error = error.to_string();
        assert!(
            error.contains(&address) && !error.contains("hunter2"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_endpoint_the_environment_names_for_the_service_is_dialled_and_named_in_an_error() {
    const NAME: &str = "broker::an_endpoint_the_environment_names_for_the_service_is_dialled_and_named_in_an_error";
    let environment = [
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:2"),
        (
            "AWS_ENDPOINT_URL_KINESIS",
            "http://user:hunter2@127.0.0.1:1",
        ),
    ];
    if !alone(NAME, &environment) {
        return;
    }
    let connected = KinesisBroker::new().test_credentials().connect().await;
    let connected = connected.expect("nothing is dialled");
    let opened = connected.subscribe_stream(KinesisStream::new("orders"));
    let error = within(opened).await.expect_err("nobody listens");
    assert!(!error.is_not_found(), "{error:?}");
    let error = error.to_string();
    assert!(error.contains("http://127.0.0.1:1:"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_never_answers_is_an_error_that_names_it_and_never_a_hang() {
    let stack = KinesisStack::start();
    stack.faults().always(On::any(), Fault::NoAnswer);
    let connected = broker(stack.endpoint()).connect().await;
    let connected = connected.expect("nothing is dialled");
    let publisher = connected.publisher();
    let clock = Frozen::start();
    let began = tokio::time::Instant::now();
    let both = async {
        let opened = connected.subscribe_stream(KinesisStream::new("orders"));
        futures::join!(opened, publish(&publisher, "orders", b"{}"))
    };
    let (opened, sent) = clock.pass(both).await;
    let waited = began.elapsed();
    assert!(waited < OPERATION + Frozen::during(SLACK), "{waited:?}");
    let (opened, sent) = (
        opened.expect_err("nobody answers"),
        sent.expect_err("nobody answers"),
    );
    assert!(matches!(opened, KinesisError::Stream { .. }), "{opened:?}");
    assert!(matches!(sent, KinesisError::Publish { .. }), "{sent:?}");
    for error in [opened, sent] {
        assert!(error.to_string().contains(stack.endpoint()), "{error}");
    }
    // The calls were sent, and sent again.
    assert!(stack.calls().count(&On::operation("PutRecord")) > 1);
}

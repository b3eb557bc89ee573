//! Whom a broker signs for over time, and that nobody is shown what it signs with.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::future;
use aws_sdk_kinesis::config::{Credentials, ProvideCredentials, SharedCredentialsProvider};
use futures::future::join_all;
use kinesis_stack::{Fault, On};
use ruststream::{Broker, ConnectedBroker, DescribeServer, IncomingMessage, Seekable, Seeker};
use ruststream_kinesis::{
    DynamoLeaseStore, KinesisBroker, KinesisError, KinesisPosition, KinesisStream,
};
use tests::dynamo::{LeaseTable, SECRET, TABLE};
use tests::events;
use tests::live::{OneStream, alone, delivered, handle, numbers, report, within};
use tests::wire::publish;

/// The SDK asks for credentials anew that long before they expire.
///
/// Source: `LazyCacheBuilder::buffer_time` of the SDK.
const ASKED_AHEAD: Duration = Duration::from_secs(10);

/// Gives credentials that are good for a second, each under a key of its own.
#[derive(Debug, Default)]
struct ShortLived(AtomicU32);

impl ProvideCredentials for ShortLived {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let round = self.0.fetch_add(1, Ordering::Relaxed);
        let expiry = SystemTime::now() + ASKED_AHEAD + Duration::from_secs(1);
        let key = format!("round-{round}");
        future::ProvideCredentials::ready(Ok(Credentials::new(
            key,
            SECRET,
            Some(SECRET.to_owned()),
            Some(expiry),
            "short-lived",
        )))
    }
}

fn config(endpoint: &str, provider: impl ProvideCredentials + 'static) -> SdkConfig {
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::from_static("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(provider))
        .build()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn credentials_that_expire_twice_are_refreshed_and_a_refusal_meanwhile_passes() {
    let live = OneStream::embedded(1).await;
    let config = config(live.endpoint(), ShortLived::default());
    let (connected, mut subscriber) = live.open(KinesisBroker::from_config(config)).await;
    let publisher = connected.publisher();
    let reads = On::operation("GetRecords");
    let keys = |on: &On| -> BTreeSet<_> {
        let calls = live.stack().calls().selected(on);
        calls
            .into_iter()
            .filter_map(|call| call.access_key)
            .collect()
    };
    for expired in 0..2 {
        let refused = live.stack().faults().once(
            reads.clone(),
            Fault::error(
                400,
                "ExpiredTokenException",
                "The security token is expired.",
            ),
        );
        let reported = report(&mut subscriber).await;
        assert!(matches!(reported, KinesisError::Read { .. }), "{reported}");
        assert_eq!(refused.hits(), 1);
        let before = keys(&reads).len();
        within(async {
            while keys(&reads).len() == before {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
        let text = expired.to_string();
        let sent = publish(&publisher, live.stream(), text.as_bytes()).await;
        sent.expect("published");
        assert_eq!(
            handle(&mut subscriber, 1).await,
            numbers(expired..expired + 1)
        );
    }
    assert!(keys(&reads).len() >= 3, "{:?}", keys(&reads));
}

/// How credentials come to a broker.
type Way<'a> = Box<dyn Fn(&OneStream) -> KinesisBroker + 'a>;

/// Everything that was shown to somebody.
#[derive(Default)]
struct Shown(Vec<String>);

impl Shown {
    fn value(&mut self, value: &impl Debug) {
        self.0.push(format!("{value:?} {value:#?}"));
    }

    fn error(&mut self, error: &KinesisError) {
        self.value(error);
        let mut cause: Option<&(dyn Error + 'static)> = Some(error);
        while let Some(error) = cause {
            self.0.push(error.to_string());
            cause = error.source();
        }
    }

    fn refused<T: Debug>(&mut self, answer: Result<T, KinesisError>) {
        self.error(&answer.expect_err("it is refused"));
    }
}

/// Takes a broker through its life, amid faults of every kind, and keeps what it shows.
async fn live_through(broker: KinesisBroker, live: &OneStream) -> Shown {
    let mut shown = Shown::default();
    let any = |fault| live.stack().faults().always(On::any(), fault);
    let monitor = broker.monitor();
    shown.value(&broker);
    shown.value(&broker.describe_server());
    let connected = broker.connect().await.expect("the broker connects");
    let publisher = connected.publisher();
    shown.value(&connected);
    shown.value(&publisher);
    shown.refused(within(connected.subscribe_stream(KinesisStream::new("missing"))).await);
    shown.refused(within(publish(&publisher, "missing", b"{}")).await);

    let mut subscriber = live.subscribe(&connected).await;
    let seeker = subscriber.seeker();
    live.put_many("key", 0..2).await;
    let held = delivered(&mut subscriber).await;
    shown.value(&held);
    held.ack().await.expect("acknowledged");
    shown.value(&monitor.streams());
    shown.value(&monitor);
    shown.value(&subscriber);
    shown.value(&seeker);
    for fault in [
        Fault::ErrorBefore,
        Fault::DropBefore,
        Fault::error(403, "AccessDeniedException", "not authorized"),
        Fault::error(
            400,
            "UnrecognizedClientException",
            "The security token is invalid.",
        ),
    ] {
        let rule = any(fault);
        shown.refused(within(publish(&publisher, live.stream(), b"{}")).await);
        shown.refused(within(seeker.seek(KinesisPosition::horizon())).await);
        shown.error(&report(&mut subscriber).await);
        rule.remove();
        live.put("key", "go on").await;
        delivered(&mut subscriber)
            .await
            .ack()
            .await
            .expect("acknowledged");
    }
    shown.value(&connected.shutdown().await.expect("shut down"));
    shown.refused(publish(&publisher, live.stream(), b"{}").await);
    shown.refused(seeker.seek(KinesisPosition::horizon()).await);
    shown
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_is_shown_or_logged_holds_a_credential_whichever_way_it_came() {
    const NAME: &str =
        "credentials::nothing_that_is_shown_or_logged_holds_a_credential_whichever_way_it_came";
    let environment = [
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "environment"),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_SESSION_TOKEN", SECRET),
    ];
    if !alone(NAME, &environment) {
        return;
    }
    events::watch_all();
    let table = LeaseTable::start().await;
    let at_table = config(table.stack().endpoint(), ShortLived::default());
    let with_password = |live: &OneStream| {
        live.endpoint()
            .replace("://", &format!("://user:{SECRET}@"))
    };
    let ways: [Way<'_>; 4] = [
        Box::new(|live| KinesisBroker::new().endpoint(live.endpoint())),
        Box::new(|live| KinesisBroker::new().endpoint(with_password(live))),
        Box::new(|live| {
            let leases = Arc::new(DynamoLeaseStore::new(&at_table, TABLE));
            let given = config(live.endpoint(), ShortLived::default());
            KinesisBroker::from_config(given).lease_store(leases)
        }),
        Box::new(|live| {
            KinesisBroker::from_config(config(&with_password(live), ShortLived::default()))
        }),
    ];
    let lives = ways.iter().map(async |way| {
        let live = OneStream::embedded(1).await;
        live_through(way(&live), &live).await
    });
    // Endpoints that nothing can be dialled at.
    let nowhere = ["user:", "http://user:", "http:/user:", "http://user:x/"];
    let nowhere = nowhere.map(|before| format!("{before}{SECRET}@127.0.0.1:1"));
    let nowhere = nowhere.iter().map(async |endpoint| {
        let broker = KinesisBroker::new().endpoint(endpoint);
        let described = broker.describe_server();
        let connected = broker.connect().await;
        let opened = connected.expect("nothing is dialled");
        let opened = opened.subscribe_stream(KinesisStream::new("orders"));
        let mut shown = Shown::default();
        shown.value(&described);
        shown.refused(within(opened).await);
        shown
    });
    let (mut shown, nowhere) = futures::join!(join_all(lives), join_all(nowhere));
    shown.extend(nowhere);
    let said = events::all();
    assert!(said.iter().any(|line| line.contains("leased")), "{said:?}");
    for text in shown.iter().flat_map(|shown| &shown.0).chain(&said) {
        assert!(!text.contains(SECRET), "{text}");
    }
}

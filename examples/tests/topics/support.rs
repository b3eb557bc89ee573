//! What the topics share.

use futures::future::join_all;
use ruststream::runtime::App;
use ruststream::testing::{BrokerHandle, TestApp};
use serde_json::Value;

/// The state of an app a test runs.
pub(crate) trait AppState: Send + Sync + 'static {}

impl<T: Send + Sync + 'static> AppState for T {}

/// Runs each test twice, on the app of the example and on that of its twin, and stops the app. The
/// clock is paused: a test moves it.
macro_rules! both {
    ($app:ident $arguments:tt: $($test:ident),+ $(,)?) => {
        mod by_attribute {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                let tb = crate::support::start(super::example::$app $arguments).await;
                super::$test(&tb).await;
                tb.shutdown().await.expect("the app stops");
            })+
        }

        mod by_hand {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                let tb = crate::support::start(super::manual::$app $arguments).await;
                super::$test(&tb).await;
                tb.shutdown().await.expect("the app stops");
            })+
        }
    };
}

pub(crate) use both;

/// The app that is what `main` runs, on a log in this process.
pub(crate) async fn start<A: App<State: AppState>>(app: A) -> TestApp<A::State> {
    TestApp::start(app).await.expect("the app starts")
}

/// Publishes one record and waits until everything it set off has settled.
pub(crate) async fn publish(broker: &BrokerHandle<'_>, stream: &str, record: &Value) {
    let published = broker.publish(stream, record).await;
    published.expect("what the record set off settles");
}

/// Publishes records that are all there before the first is read.
pub(crate) async fn publish_together(broker: &BrokerHandle<'_>, stream: &str, records: &[Value]) {
    let published = records.iter().map(|record| broker.publish(stream, record));
    for published in join_all(published).await {
        published.expect("what the record set off settles");
    }
}

/// Publishes one record with headers; `partition-key` among them is its key.
pub(crate) async fn publish_with(
    broker: &BrokerHandle<'_>,
    stream: &str,
    record: &Value,
    headers: &Value,
) {
    let published = broker.publish_with_headers(stream, record, headers).await;
    published.expect("what the record set off settles");
}

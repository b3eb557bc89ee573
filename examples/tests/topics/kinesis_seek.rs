//! A handler that moves its subscription.

use std::time::UNIX_EPOCH;

use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish, publish_together};

#[path = "../../kinesis_seek.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_seek.rs"]
mod manual;

both!(
    app(): fresh_prices_are_all_read,
    a_stale_price_moves_the_subscription_past_the_backlog,
);

fn quote(cents: u64, age_seconds: u64) -> Value {
    let now = UNIX_EPOCH.elapsed().expect("it is past 1970").as_secs();
    json!({ "symbol": "AB", "cents": cents, "sent_at": now - age_seconds })
}

async fn fresh_prices_are_all_read(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let quotes = [quote(1, 40), quote(2, 0), quote(3, 30)];
    publish_together(&broker, "quotes", &quotes).await;
    assert_eq!(broker.subscriber("quotes").received::<Value>(), quotes);
}

async fn a_stale_price_moves_the_subscription_past_the_backlog(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    let backlog = [quote(1, 300), quote(2, 50), quote(3, 40)];
    publish_together(&broker, "quotes", &backlog).await;
    publish(&broker, "quotes", &quote(4, 0)).await;
    broker.subscriber("quotes").settled(HandlerOutcome::ack());
    let read = broker.subscriber("quotes").received::<Value>();
    let cents: Vec<_> = read.iter().map(|quote| &quote["cents"]).collect();
    assert_eq!(cents, [1, 4]);
}

//! Replies.

use ruststream::testing::TestApp;
use ruststream_kinesis::PARTITION_KEY_HEADER;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

use crate::support::{AppState, both, publish};

#[path = "../../kinesis_replies.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_replies.rs"]
mod manual;

both!(
    app(): an_order_is_answered_with_a_receipt_under_the_key_of_the_policy,
    an_empty_order_is_dropped_without_a_receipt,
    a_quote_goes_where_the_handler_says_under_a_key_of_its_own,
);

async fn an_order_is_answered_with_a_receipt_under_the_key_of_the_policy(
    tb: &TestApp<impl AppState>,
) {
    let broker = tb.broker::<KinesisBroker>();
    for id in [7, 8] {
        publish(&broker, "orders", &json!({ "id": id, "pieces": 1 })).await;
        broker.subscriber("orders").settled(HandlerOutcome::ack());
        broker
            .published::<Value>("receipts")
            .with(&json!({ "order": id }))
            .with_header(PARTITION_KEY_HEADER, "receipts-v1");
    }
    broker.published::<Value>("receipts").assert_called(2);
}

async fn an_empty_order_is_dropped_without_a_receipt(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    publish(&broker, "orders", &json!({ "id": 9, "pieces": 0 })).await;
    broker
        .subscriber("orders")
        .assert_called_once()
        .settled(HandlerOutcome::drop());
    broker.published::<Value>("receipts").assert_not_called();
}

async fn a_quote_goes_where_the_handler_says_under_a_key_of_its_own(tb: &TestApp<impl AppState>) {
    let broker = tb.broker::<KinesisBroker>();
    for id in [3, 4] {
        publish(&broker, "enquiries", &json!({ "id": id, "pieces": 2 })).await;
    }
    let quotes = broker.published::<Value>("quotes").assert_called(2);
    let expected = [3, 4].map(|id| json!({ "order": id, "cents": 500 }));
    assert_eq!(quotes.decoded(), expected);
    let [first, second] = quotes.messages() else {
        panic!("two quotes");
    };
    let key = |quote: &ruststream::RawMessage| {
        let key = quote.headers().get_str(PARTITION_KEY_HEADER);
        key.map(str::to_owned)
    };
    assert!(key(first).is_some());
    assert_ne!(key(first), key(second));
}

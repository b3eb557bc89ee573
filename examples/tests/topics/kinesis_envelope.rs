//! The envelope, as a handler, the service and a consumer without this crate see it.

use kinesis_stack::KinesisStack;
use ruststream::testing::TestApp;
use ruststream_kinesis::prelude::*;
use serde_json::{Value, json};

#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../kinesis_envelope.rs"]
mod example;
#[expect(dead_code, reason = "only cargo runs its `main`")]
#[path = "../../manual/kinesis_envelope.rs"]
mod manual;

macro_rules! read_back {
    ($file:ident) => {{
        let broker = KinesisBroker::new();
        let receipts = broker.publisher();
        let tb = TestApp::start($file::service(broker)).await.expect("the app starts");
        $file::publish(&receipts).await.expect("the log takes both");
        tb.settle().await.expect("both settle");
        let broker = tb.broker::<KinesisBroker>();
        broker.subscriber("receipts").settled(HandlerOutcome::ack());
        let read = broker.subscriber("receipts").received::<Value>();
        assert_eq!(read, [1, 2].map(|order| json!({ "order": order })));
        let written = broker.published::<Value>("receipts");
        let traces: Vec<_> = written
            .messages()
            .iter()
            .map(|receipt| receipt.headers().get_str("trace"))
            .collect();
        assert_eq!(traces, [None, Some("4bf92f")]);
        tb.shutdown().await.expect("the app stops");
    }};
}

#[tokio::test(start_paused = true)]
async fn a_handler_reads_the_payload_of_both_and_the_header_of_one() {
    read_back!(example);
    read_back!(manual);
}

#[tokio::test]
async fn a_record_without_headers_is_the_plain_payload_and_one_with_headers_is_enveloped() {
    let example = example::run(&KinesisStack::start()).await;
    let manual = manual::run(&KinesisStack::start()).await;
    for records in [example, manual] {
        let plain = br#"{"order":1}"#.to_vec();
        let enveloped = b"RSK2\0\0\0\x13\0\0\0\x05trace\0\0\0\x064bf92f{\"order\":2}".to_vec();
        assert_eq!(records.expect("both are written"), [plain, enveloped]);
    }
}

#[test]
fn a_consumer_without_this_crate_finds_the_payload_of_both() {
    for payload in [example::payload, manual::payload] {
        assert_eq!(payload(b"plain"), b"plain");
        assert_eq!(payload(b"RSK2\0\0\0\x02xxpayload"), b"payload");
        // No envelope, whatever it begins with.
        for record in [b"RSK2".as_slice(), b"RSK2\0\0\0\xffshort"] {
            assert_eq!(payload(record), record);
        }
    }
}

//! The four places that can name a record's partition key, and their order.

use ruststream::{HeaderMap, IncomingMessage, OutgoingMessage, PublishPolicy, Publisher};
use ruststream_kinesis::{KinesisPublish, KinesisPublishOptions, PARTITION_KEY_HEADER};

use crate::support::{connect, next, subscribe};

const STEP: &str = "by step";
const HEADER: &str = "by header";
const POLICY: &str = "by policy";

/// The key a record goes out with, named in those places.
async fn key_of(step: Option<&str>, header: Option<&str>, policy: Option<&str>) -> String {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    let publish = KinesisPublish::default();
    let publish = match policy {
        Some(key) => publish.partition_key(key),
        None => publish,
    };
    let publisher = publish.pair(&connected).await.expect("the policy pairs");
    let mut headers = HeaderMap::new();
    if let Some(key) = header {
        headers.insert(PARTITION_KEY_HEADER, key.to_owned());
    }
    let options = KinesisPublishOptions {
        partition_key: step.map(str::to_owned),
    };
    let message = OutgoingMessage::new("orders", b"{}".as_slice()).with_headers(headers);
    let sent = publisher.publish(message, Some(&options)).await;
    sent.expect("the log takes the record");
    let delivered = next(&mut subscriber).expect("the record");
    let key = delivered
        .headers()
        .get_str(PARTITION_KEY_HEADER)
        .expect("a delivery reports its key")
        .to_owned();
    assert_eq!(
        IncomingMessage::partition_key(&delivered),
        Some(key.as_bytes())
    );
    key
}

#[tokio::test]
async fn the_step_of_the_publish_names_the_key_first() {
    assert_eq!(key_of(Some(STEP), Some(HEADER), Some(POLICY)).await, STEP);
    assert_eq!(key_of(Some(STEP), None, None).await, STEP);
}

#[tokio::test]
async fn the_header_the_call_wrote_names_it_next() {
    assert_eq!(key_of(None, Some(HEADER), Some(POLICY)).await, HEADER);
}

#[tokio::test]
async fn the_key_the_mount_site_named_on_the_policy_comes_after_it() {
    assert_eq!(key_of(None, None, Some(POLICY)).await, POLICY);
}

#[tokio::test]
async fn a_record_nobody_named_a_key_for_goes_out_with_one_of_its_own() {
    let (one, other) = (
        key_of(None, None, None).await,
        key_of(None, None, None).await,
    );
    assert!(!one.is_empty() && !other.is_empty());
    assert_ne!(one, other);
}

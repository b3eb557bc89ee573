//! Records that are refused, before the call or by the service: always with the stream's name.

use kinesis_stack::{Fault, On};
use ruststream::{Broker, HeaderMap, OutgoingMessage, PublishPolicy, Publisher};
use ruststream_kinesis::{
    KinesisError, KinesisPublish, KinesisPublishOptions, KinesisPublisher, PARTITION_KEY_HEADER,
};
use tests::live::{OneStream, within};
use tests::wire::{publish, publish_with, retained};

const KEY: &str = "key";
const MOST: usize = 10 * 1024 * 1024;

/// Asserts that the error names the stream, and answers the whole of it.
fn refusal(answer: Result<(), KinesisError>, to: &str) -> String {
    let error = answer.expect_err("the record is refused");
    assert!(
        matches!(&error, KinesisError::Publish { stream, .. } if stream == to),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(text.contains(to), "{text}");
    text
}

async fn keyed(live: &OneStream) -> (impl Sized + use<>, KinesisPublisher) {
    let connected = live.broker().connect().await.expect("connects");
    let paired = KinesisPublish::default()
        .partition_key(KEY)
        .pair(&connected);
    let publisher = paired.await.expect("the policy pairs");
    live.stack().calls().clear();
    (connected, publisher)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_of_no_characters_or_more_than_256_is_refused_before_any_call() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    let longest = "ключ".repeat(64);
    for key in [String::new(), "k".repeat(257), format!("{longest}k")] {
        let options = KinesisPublishOptions {
            partition_key: Some(key.clone()),
        };
        let message = || OutgoingMessage::new(live.stream(), b"{}".as_slice());
        let by_step = publisher.publish(message(), Some(&options)).await;
        let mut headers = HeaderMap::new();
        headers.insert(PARTITION_KEY_HEADER, key);
        let by_header = publisher
            .publish(message().with_headers(headers), None)
            .await;
        for answer in [by_step, by_header] {
            assert!(refusal(answer, live.stream()).contains("1 to 256 characters"));
        }
    }
    assert!(live.stack().calls().all().is_empty());
    // 256 characters are the service's to take, whatever their bytes.
    let options = KinesisPublishOptions {
        partition_key: Some(longest),
    };
    let message = OutgoingMessage::new(live.stream(), b"{}".as_slice());
    let asked = publisher.publish(message, Some(&options)).await;
    let put = On::operation("PutRecord");
    assert_eq!(live.stack().calls().count(&put), 1, "{asked:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_header_key_that_is_no_text_is_refused_before_any_call() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    let mut headers = HeaderMap::new();
    headers.insert(PARTITION_KEY_HEADER, vec![0xff, 0xfe]);
    refusal(
        publish_with(&publisher, live.stream(), b"{}", headers).await,
        live.stream(),
    );
    assert!(live.stack().calls().all().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_over_10_mib_with_its_key_is_refused_before_any_call() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    let over = vec![b'x'; MOST - KEY.len() + 1];
    let text = refusal(
        publish(&publisher, live.stream(), &over).await,
        live.stream(),
    );
    assert!(text.contains(&MOST.to_string()), "{text}");
    // The headers count as they are written.
    let mut headers = HeaderMap::new();
    headers.insert("tenant", "acme");
    let with_headers = &over[..MOST - KEY.len()];
    let answer = publish_with(&publisher, live.stream(), with_headers, headers).await;
    refusal(answer, live.stream());
    assert!(live.stack().calls().all().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn below_that_the_service_judges_and_its_refusal_names_the_stream() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    let largest = vec![b'x'; 1024 * 1024 - KEY.len()];
    let sent = within(publish(&publisher, live.stream(), &largest)).await;
    sent.expect("the stream's own limit");
    live.stack().calls().clear();
    for size in [1024 * 1024 - KEY.len() + 1, MOST - KEY.len()] {
        let answer = within(publish(&publisher, live.stream(), &vec![b'x'; size])).await;
        let text = refusal(answer, live.stream());
        assert!(text.contains("PutRecord"), "{text}");
    }
    // What cannot succeed is not repeated.
    assert_eq!(live.stack().calls().all().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_no_stream_can_have_is_refused_before_any_call() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    for destination in [
        "",
        "orders of today",
        "arn:aws:kinesis:us-east-1:0:stream/orders",
    ] {
        refusal(publish(&publisher, destination, b"{}").await, destination);
    }
    assert!(live.stack().calls().all().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_the_service_does_not_have_is_an_error_that_names_it() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    let sent = publish(&publisher, "missing", b"{}").await;
    assert!(
        sent.as_ref().is_err_and(KinesisError::is_not_found),
        "{sent:?}"
    );
    let text = refusal(sent, "missing");
    assert!(text.contains("ResourceNotFound"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_throttled_record_is_sent_again_until_it_is_written() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    let faults = live.stack().faults();
    for fault in [Fault::Throttle, Fault::ErrorBefore, Fault::DropBefore] {
        let met = faults.once(On::operation("PutRecord"), fault);
        let sent = within(publish(&publisher, live.stream(), b"{}")).await;
        sent.expect("the second attempt");
        assert_eq!(met.hits(), 1);
    }
    assert_eq!(retained(live.client(), live.stream()).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_that_is_throttled_on_and_on_is_an_error_that_names_the_stream() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    let put = On::operation("PutRecord");
    live.stack().faults().always(put.clone(), Fault::Throttle);
    let answer = within(publish(&publisher, live.stream(), b"{}")).await;
    let text = refusal(answer, live.stream());
    assert!(text.contains("ProvisionedThroughputExceeded"), "{text}");
    assert!(live.stack().calls().count(&put) > 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_whose_answer_was_lost_is_written_at_least_once() {
    let live = OneStream::embedded(1).await;
    let (_connected, publisher) = keyed(&live).await;
    let lost = live
        .stack()
        .faults()
        .once(On::operation("PutRecord"), Fault::DropAfter);
    let sent = within(publish(&publisher, live.stream(), b"{}")).await;
    sent.expect("the second attempt");
    assert_eq!(lost.hits(), 1);
    let records = retained(live.client(), live.stream()).await;
    assert!(!records.is_empty());
}

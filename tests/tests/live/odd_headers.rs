//! Headers nobody would write by hand.

use ruststream::{HeaderMap, IncomingMessage};
use tests::live::{OneStream, record};
use tests::wire::publish_with;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_of_any_name_and_in_any_number_read_back() {
    let live = OneStream::embedded(1).await;
    let (connected, mut subscriber) = live.open(live.broker()).await;
    let mut headers = HeaderMap::new();
    let long = "n".repeat(70_000);
    for name in ["UPPER", "nul\0name", "line\nbreak: x", "", "ünï", &long] {
        headers.insert(name.to_owned(), vec![0, 0xff, b'\n', b':']);
    }
    for number in 0..10_000 {
        headers.insert(format!("h{number}"), number.to_string().into_bytes());
    }
    let sent = publish_with(&connected.publisher(), live.stream(), b"", headers.clone()).await;
    sent.expect("the service takes the record");
    let read = record(&mut subscriber).await;
    assert!(read.payload().is_empty());
    for (name, value) in headers.iter() {
        let back = read.headers().get(name);
        assert!(back.is_some_and(|back| back == value), "{name:?}");
    }
}

//! Credentials of the service's own choice. That the program takes the profile it names, the test
//! binary `quickstart` shows.

#[path = "../../kinesis_broker_credentials.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_broker_credentials.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::thread;

use aws_config::SdkConfig;
use aws_sdk_kinesis::config::{Credentials, SharedCredentialsProvider};
use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::KinesisBroker;
use serde_json::json;

use crate::embedded::{self, Tested};

type Service = fn(SdkConfig) -> RustStream;

const FORMS: [(&str, Service); 2] = [("example", example::service), ("manual", manual::service)];

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        // In process nothing is dialled.
        let nowhere = embedded::config("http://127.0.0.1:9");
        let tb = TestApp::start(service(nowhere)).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_calls_are_signed_with_the_keys_of_the_configuration() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let first_call = thread::spawn(move || head_of_first_call(&listener));

        let keys = Credentials::new("KEYOFORDERS", "secret", None, None, "test");
        let config = embedded::config(&endpoint)
            .into_builder()
            .credentials_provider(SharedCredentialsProvider::new(keys))
            .build();
        let refused = service(config).start().await;
        assert!(refused.is_err(), "the listener knows no stream");
        let head = first_call.join().expect("the listener is called")?;
        assert!(head.contains("Credential=KEYOFORDERS/"), "{head}");
    }
    Ok(())
}

/// Answers one call with a refusal the SDK does not repeat.
fn head_of_first_call(listener: &TcpListener) -> std::io::Result<String> {
    let (mut connection, _) = listener.accept()?;
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut some = [0; 1024];
        let read = connection.read(&mut some)?;
        head.extend_from_slice(&some[..read]);
    }
    let body = r#"{"__type":"AccessDeniedException","message":"not this one"}"#;
    write!(
        connection,
        "HTTP/1.1 400 Bad Request\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

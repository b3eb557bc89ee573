//! "What it reports is a coordinate - the host and port a client dials, never credentials".

use ruststream::DescribeServer;
use ruststream_kinesis::KinesisBroker;

fn assert_host(broker: &KinesisBroker, host: &str) {
    let server = broker.describe_server();
    assert_eq!(server.host.as_deref(), Some(host));
    assert_eq!(server.protocol, "kinesis");
}

#[test]
fn with_an_endpoint_the_server_is_the_host_and_port_of_that_url() {
    let broker = || KinesisBroker::new().region("eu-north-1");
    for (endpoint, host) in [
        ("http://127.0.0.1:4566", "127.0.0.1:4566"),
        (
            "https://user:hunter2@kinesis.example.com:8443/path",
            "kinesis.example.com:8443",
        ),
        ("https://kinesis.example.com", "kinesis.example.com"),
    ] {
        assert_host(&broker().endpoint(endpoint), host);
    }
}

#[test]
fn otherwise_the_server_is_that_of_the_named_region() {
    let broker = KinesisBroker::new().region("eu-north-1");
    assert_host(&broker, "kinesis.eu-north-1.amazonaws.com");
}

#[test]
fn otherwise_the_server_is_the_services_without_a_region() {
    assert_host(&KinesisBroker::new(), "kinesis.amazonaws.com");
}

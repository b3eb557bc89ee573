//! The generated document: the objects this crate writes into it, for the specification's example and
//! for every position that has one, and what never stands in it.

use expect_test::expect_file;
use ruststream::asyncapi::{Spec, build_spec};
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The specification's example under "The generated document".
mod example {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    struct Order {
        id: u64,
    }

    #[derive(Serialize, Outgoing, JsonSchema)]
    #[outgoing(name = "receipts")]
    struct Receipt {
        order: u64,
    }

    #[subscriber(KinesisStream::new("orders").create_if_missing(2), reply)]
    async fn confirm(order: &Order) -> Receipt {
        Receipt { order: order.id }
    }

    pub(super) fn document() -> Spec {
        let app = RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(
            KinesisBroker::new(),
            |b| {
                b.include(confirm)
                    .out_reply(Publish::default())
                    .partition_key("tenant-acme");
            },
        );
        build_spec(&app)
    }
}

/// Every position that has an object of this crate, in the words of the attribute.
mod positions {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    struct Job {
        id: u64,
    }

    #[derive(Serialize, Outgoing, JsonSchema)]
    #[outgoing(name = "jobs.journal")]
    struct Entry {
        job: u64,
    }

    #[derive(OutSlot)]
    #[publishes(Entry)]
    struct Journal;

    /// Notes a job in the journal.
    #[subscriber(
        stream = "arn:aws:kinesis:eu-west-1:123456789012:stream/jobs",
        poll_interval = "250ms",
        checkpoint_interval = "5s"
    )]
    async fn note(job: &Job, Out(journal): Out<impl Publisher, Journal>) -> HandlerOutcome {
        match journal.message(&Entry { job: job.id }).publish().await {
            Ok(()) => HandlerOutcome::ack(),
            Err(_) => HandlerOutcome::retry(),
        }
    }

    /// The framework's wrapper of a start position passes the descriptor's objects on to nobody.
    #[subscriber(stream = "jobs.replayed", start_at = horizon)]
    async fn replay(job: &Job) -> HandlerOutcome {
        let _ = job.id;
        HandlerOutcome::ack()
    }

    #[subscriber("jobs.tallied", batch = 500, create_if_missing = 1)]
    async fn tally(jobs: &[Job]) -> HandlerOutcome {
        let _ = jobs.len();
        HandlerOutcome::ack()
    }

    /// A bare name has no descriptor, so it writes nothing of this crate's.
    #[subscriber("jobs.bare")]
    async fn bare(job: &Job) -> HandlerOutcome {
        let _ = job.id;
        HandlerOutcome::ack()
    }

    pub(super) fn document() -> Spec {
        let broker = KinesisBroker::new().region("eu-west-1");
        let app = RustStream::new(AppInfo::new("jobs", "0.1.0")).with_broker_labeled(
            "kinesis",
            broker,
            |b| {
                b.include(note)
                    .max_attempts(nonzero!(3))
                    .dead_letter("jobs.dead")
                    .out(Journal, Publish::default().partition_key("journal"))
                    .build();
                b.include(replay);
                b.include(tally);
                b.include(bare);
            },
        );
        build_spec(&app)
    }
}

fn json(document: &Spec) -> Value {
    serde_json::to_value(document).expect("a document is JSON")
}

fn assert_valid(document: &Value) {
    let schema = include_str!("../../../data/asyncapi-3.1.0.json");
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let errors: Vec<_> = validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn the_specifications_example_is_documented_as_recorded() {
    let document = json(&example::document());
    assert_valid(&document);
    let text = serde_json::to_string_pretty(&document).expect("it is JSON") + "\n";
    expect_file!["example.json"].assert_eq(&text);
}

#[test]
fn every_position_is_documented_as_recorded() {
    let document = json(&positions::document());
    assert_valid(&document);
    let text = serde_json::to_string_pretty(&document).expect("it is JSON") + "\n";
    expect_file!["positions.json"].assert_eq(&text);
}

#[test]
fn the_schema_refuses_what_is_no_document() {
    let mut document = json(&example::document());
    document["channels"]["orders"]["address"] = Value::from(7);
    let schema = include_str!("../../../data/asyncapi-3.1.0.json");
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    assert!(!jsonschema::is_valid(&schema, &document));
}

/// Every part of an endpoint that is no host and no port.
#[test]
fn no_credential_of_an_endpoint_reaches_the_document() {
    for (endpoint, host) in [
        ("http://hunter2:hunter2@localhost:4566", "localhost:4566"),
        ("https://hunter2@kinesis.internal", "kinesis.internal"),
        ("https://:hunter2@kinesis.internal/", "kinesis.internal"),
        (
            "http://user:hunter2%40x@127.0.0.1:4567/hunter2",
            "127.0.0.1:4567",
        ),
        ("http://user:hunter2@x@127.0.0.1:4567", "127.0.0.1:4567"),
        (
            "http://user:hunter2@[::1]:4566/hunter2?token=hunter2",
            "[::1]:4566",
        ),
        ("https://[2001:db8::1]/hunter2#hunter2", "[2001:db8::1]"),
        ("https://kinesis.internal?key=hunter2", "kinesis.internal"),
        (
            "user:hunter2@kinesis.internal:4566",
            "kinesis.internal:4566",
        ),
    ] {
        let broker = KinesisBroker::new().endpoint(endpoint).region("eu-west-1");
        let app = RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker_labeled(
            "kinesis",
            broker,
            |_| {},
        );
        let document = json(&build_spec(&app));
        assert_valid(&document);
        assert_eq!(document["servers"]["kinesis"]["host"], host, "{endpoint}");
        assert!(!document.to_string().contains("hunter2"), "{document}");
    }
}

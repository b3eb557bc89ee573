//! Checkpoints in a table.

#[path = "../../kinesis_leases_dynamodb.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_leases_dynamodb.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use aws_config::SdkConfig;
use kinesis_stack::{DynamoStack, KinesisStack};
use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::KinesisBroker;
use serde_json::json;

use crate::embedded::{self, Tested, received, until};

/// The service with the table it names.
type Service = fn(KinesisBroker, &SdkConfig) -> RustStream;

const FORMS: [(&str, Service); 2] = [
    ("example", |broker, config| {
        example::service(broker, example::leases(config))
    }),
    ("manual", |broker, config| {
        manual::service(broker, manual::leases(config))
    }),
];

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        // In process no store is asked, so nobody need answer there.
        let nowhere = embedded::config("http://127.0.0.1:9");
        let tb = TestApp::start(service(KinesisBroker::new(), &nowhere)).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_stopped_service_goes_on_where_it_was() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        let (kinesis, dynamodb) = (embedded::stack(1), DynamoStack::start());
        let start = async |kinesis: &KinesisStack| {
            let config = embedded::config(dynamodb.endpoint());
            TestApp::start_live(service(embedded::broker(kinesis), &config)).await
        };
        let first = start(&kinesis).await?;
        let broker = first.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 1})).await?;
        first.shutdown().await?;

        // Published while nobody reads.
        embedded::put(&kinesis, "orders", &json!({"id": 2})).await?;

        let second = start(&kinesis).await?;
        let broker = second.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 3})).await?;
        // The first order is not among them: it was handled, and the table says so.
        let rest = [json!({"id": 2}), json!({"id": 3})];
        until(async || received(&second, "orders").len() == rest.len()).await;
        assert_eq!(received(&second, "orders"), rest);
        second.shutdown().await?;
    }
    Ok(())
}

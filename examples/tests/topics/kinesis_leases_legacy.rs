//! The table of an earlier version.

#[path = "../../kinesis_leases_legacy.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_leases_legacy.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType,
    ScalarAttributeType,
};
use kinesis_stack::DynamoStack;
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

const SHARD: &str = "shardId-000000000000";

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
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
async fn a_shard_resumes_from_its_bare_row_and_copies_it() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        let (kinesis, dynamodb) = (embedded::stack(1), DynamoStack::start());
        let config = embedded::config(dynamodb.endpoint());
        let handled = embedded::put(&kinesis, "orders", &json!({"id": 1})).await?;
        embedded::put(&kinesis, "orders", &json!({"id": 2})).await?;
        let table = old_table(&config, &handled).await?;

        let app = service(embedded::broker(&kinesis), &config);
        let tb = TestApp::start_live(app).await?;
        // The copy is made by the first look, before anything is handled; the row's checkpoint
        // moves on from there.
        until(async || received(&tb, "orders") == [json!({"id": 2})]).await;
        tb.shutdown().await?;

        let row = table
            .get_item()
            .table_name("orders-leases")
            .key("lease_key", AttributeValue::S(format!("orders:{SHARD}")))
            .send()
            .await?
            .item
            .expect("the shard has a row of its own now");
        let checkpoint = row["checkpoint"].as_s().expect("a checkpoint is text");
        assert!(*checkpoint > handled, "{checkpoint} is after {handled}");
    }
    Ok(())
}

/// A table as the earlier version left it: one row, which names its shard alone.
async fn old_table(
    config: &SdkConfig,
    checkpoint: &str,
) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let client = Client::new(config);
    client
        .create_table()
        .table_name("orders-leases")
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(
            AttributeDefinition::builder()
                .attribute_name("lease_key")
                .attribute_type(ScalarAttributeType::S)
                .build()?,
        )
        .key_schema(
            KeySchemaElement::builder()
                .attribute_name("lease_key")
                .key_type(KeyType::Hash)
                .build()?,
        )
        .send()
        .await?;
    client
        .put_item()
        .table_name("orders-leases")
        .item("lease_key", AttributeValue::S(SHARD.to_owned()))
        .item("checkpoint", AttributeValue::S(checkpoint.to_owned()))
        .send()
        .await?;
    Ok(client)
}

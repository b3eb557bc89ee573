//! A `DynamoDB` and one lease table for one test.

#![expect(
    clippy::missing_panics_doc,
    reason = "a fixture panics where the test cannot go on"
)]

use std::collections::HashMap;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType,
    ScalarAttributeType,
};
use kinesis_stack::{DynamoStack, On};
use ruststream_kinesis::DynamoLeaseStore;

/// The table's name.
pub const TABLE: &str = "orders-leases";

/// What no page, log or error may show.
pub const SECRET: &str = "a-secret-that-nobody-sees";

/// The attributes of one row.
pub type Item = HashMap<String, AttributeValue>;

/// A `DynamoDB` with one lease table.
#[derive(Debug)]
pub struct LeaseTable {
    stack: DynamoStack,
    client: Client,
}

impl LeaseTable {
    /// With the table as the documentation defines it.
    pub async fn start() -> Self {
        let table = Self::without_table();
        table.create().await;
        table
    }

    /// Without a table.
    #[must_use]
    pub fn without_table() -> Self {
        let stack = DynamoStack::start();
        let client = Client::new(&config(stack.endpoint()));
        Self { stack, client }
    }

    async fn create(&self) {
        let attribute = AttributeDefinition::builder()
            .attribute_name("lease_key")
            .attribute_type(ScalarAttributeType::S);
        let key = KeySchemaElement::builder()
            .attribute_name("lease_key")
            .key_type(KeyType::Hash);
        self.client
            .create_table()
            .table_name(TABLE)
            .attribute_definitions(attribute.build().expect("complete"))
            .key_schema(key.build().expect("complete"))
            .billing_mode(BillingMode::PayPerRequest)
            .send()
            .await
            .expect("the table is created");
    }

    /// A store in that table, as another process would build it.
    #[must_use]
    pub fn store(&self) -> DynamoLeaseStore {
        DynamoLeaseStore::new(&config(self.stack.endpoint()), TABLE)
    }

    /// The server, its faults and its log.
    #[must_use]
    pub fn stack(&self) -> &DynamoStack {
        &self.stack
    }

    /// The SDK, without anything of ours.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// How many calls of that operation came so far.
    #[must_use]
    pub fn count(&self, operation: &str) -> usize {
        self.stack.calls().count(&On::operation(operation))
    }

    /// The row under that key.
    pub async fn item(&self, key: &str) -> Option<Item> {
        let call = self.client.get_item().table_name(TABLE);
        let call = call.key("lease_key", text(key)).consistent_read(true);
        call.send().await.expect("the row is read").item
    }

    /// Writes that row as it is.
    pub async fn put<const N: usize>(&self, key: &str, attributes: [(&str, AttributeValue); N]) {
        let mut call = self.client.put_item().table_name(TABLE);
        call = call.item("lease_key", text(key));
        for (name, value) in attributes {
            call = call.item(name, value);
        }
        call.send().await.expect("the row is written");
    }

    /// Deletes that row.
    pub async fn delete(&self, key: &str) {
        let call = self.client.delete_item().table_name(TABLE);
        let call = call.key("lease_key", text(key));
        call.send().await.expect("the row is deleted");
    }
}

/// A string attribute.
#[must_use]
pub fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

/// A number attribute.
#[must_use]
pub fn number(value: u64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// The number that a row holds there.
#[must_use]
pub fn number_of(item: &Item, name: &str) -> Option<u64> {
    let number = item.get(name)?.as_n().expect("a number");
    Some(number.parse().expect("a whole number"))
}

/// The text that a row holds there.
#[must_use]
pub fn text_of<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    Some(item.get(name)?.as_s().expect("a text"))
}

fn config(endpoint: &str) -> SdkConfig {
    let credentials = Credentials::new("key", SECRET, Some(SECRET.to_owned()), None, "tests");
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::from_static("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build()
}

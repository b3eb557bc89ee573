//! Creating the table.

use std::time::Duration;

use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, TableStatus,
};

use super::item;
use super::table::Table;
use crate::clock;
use crate::lease::LeaseError;

/// How long a table may take to become active.
const ACTIVE_WITHIN: Duration = Duration::from_mins(1);
/// The pause between two looks at it.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Returns once the table is there and active.
pub(super) async fn create_if_missing(table: &Table) -> Result<(), LeaseError> {
    let asked = clock::now();
    loop {
        let status = match status(table).await? {
            Some(TableStatus::Active | TableStatus::Updating) => return Ok(()),
            Some(status) => status,
            None => {
                create(table).await?;
                TableStatus::Creating
            }
        };
        if clock::now().saturating_duration_since(asked) >= ACTIVE_WITHIN {
            let text = format!("it is {status} and not active within {ACTIVE_WITHIN:?}");
            return Err(table.error(text).into());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// What state the table is in; nothing where it is not there.
async fn status(table: &Table) -> Result<Option<TableStatus>, LeaseError> {
    let call = table.client().describe_table().table_name(table.name());
    match call.send().await {
        Ok(answer) => Ok(answer.table.and_then(|table| table.table_status)),
        Err(error) => match error.as_service_error() {
            Some(DescribeTableError::ResourceNotFoundException(_)) => Ok(None),
            _ => Err(table.failed("DescribeTable", table.name(), &error)),
        },
    }
}

async fn create(table: &Table) -> Result<(), LeaseError> {
    let failed = |error: &(dyn std::error::Error + 'static)| {
        table.failed("CreateTable", table.name(), error)
    };
    let attribute = AttributeDefinition::builder()
        .attribute_name(item::KEY)
        .attribute_type(ScalarAttributeType::S)
        .build()
        .map_err(|error| failed(&error))?;
    let key = KeySchemaElement::builder()
        .attribute_name(item::KEY)
        .key_type(KeyType::Hash)
        .build()
        .map_err(|error| failed(&error))?;
    let call = table
        .client()
        .create_table()
        .table_name(table.name())
        .attribute_definitions(attribute)
        .key_schema(key)
        .billing_mode(BillingMode::PayPerRequest);
    match call.send().await {
        Ok(_) => Ok(()),
        Err(error) => match error.as_service_error() {
            // Another instance was first.
            Some(CreateTableError::ResourceInUseException(_)) => Ok(()),
            _ => Err(failed(&error)),
        },
    }
}

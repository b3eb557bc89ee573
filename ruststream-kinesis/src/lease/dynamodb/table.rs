//! The calls on the table.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Builder;
use aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition};
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    KeysAndAttributes, ReturnValue, ReturnValuesOnConditionCheckFailure,
};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::answer_date::DynamoClock;
use super::expression::Expression;
use super::item::{self, Item, Malformed};
use crate::endpoint;
use crate::error_chain::error_chain;
use crate::lease::{ANSWERED_WITHIN, LeaseError};
use crate::per_runtime::PerRuntime;
use crate::rules::backoff;
use crate::rules::store_time::StoreTime;

/// How many keys one `BatchGetItem` asks for at most (its API reference).
pub(super) const KEYS_A_BATCH: usize = 100;
/// How many batches are under way at once.
const BATCHES_AT_ONCE: usize = 4;
/// How often the keys that a batch left unprocessed are asked for again before that is an error.
const BATCH_ATTEMPTS: u32 = 8;
/// The wait before that, at first and at most.
const BATCH_BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// How long a connection may take to open.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long one attempt of a call may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often a call is tried before it fails.
const ATTEMPTS: u32 = 5;
/// The wait before a retry, at first and at most.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// One table.
pub(super) struct Table {
    name: String,
    settings: Builder,
    clients: PerRuntime<Client>,
    clock: DynamoClock,
}

/// What became of a conditional write.
pub(super) enum Put {
    /// It is stored; the item, where that was asked for.
    Stored(Item),
    /// The condition did not hold; the item it did not hold for.
    Refused(Option<Item>),
}

impl Table {
    pub(super) fn new(config: &SdkConfig, name: String) -> Self {
        let mut settings = Builder::from(config)
            .retry_config(
                RetryConfig::standard()
                    .with_max_attempts(ATTEMPTS)
                    .with_initial_backoff(BACKOFF.0)
                    .with_max_backoff(BACKOFF.1),
            )
            // What else the process does at DynamoDB does not use up the retries of its leases.
            .retry_partition(RetryPartition::custom("lease table").build())
            .timeout_config(
                TimeoutConfig::builder()
                    .connect_timeout(CONNECT_TIMEOUT)
                    .operation_attempt_timeout(ATTEMPT_TIMEOUT)
                    .operation_timeout(ANSWERED_WITHIN)
                    .build(),
            );
        settings.set_endpoint_url(endpoint::of(config, "DynamoDB"));
        Self {
            name,
            settings,
            clients: PerRuntime::default(),
            clock: DynamoClock::default(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn client(&self) -> Client {
        self.clients
            .current(|| Client::from_conf(self.settings.clone().build()))
    }

    /// The service's time; nothing before its first answer.
    pub(super) fn known_time(&self) -> Option<StoreTime> {
        self.clock.now()
    }

    /// The service's time, which an answer told.
    pub(super) fn now(&self) -> Result<StoreTime, LeaseError> {
        self.known_time().ok_or_else(|| {
            let text = "the answers bear no date, and a lease goes by the clock of DynamoDB";
            self.error(text).into()
        })
    }

    /// The item under `key`, as every write before this call left it.
    pub(super) async fn get(&self, key: &str) -> Result<Option<Item>, LeaseError> {
        let call = self
            .client()
            .get_item()
            .table_name(&self.name)
            .key(item::KEY, item::string(key))
            .consistent_read(true)
            .customize()
            .interceptor(self.clock.reader())
            .send();
        let answer = call.await;
        let answer = answer.map_err(|error| self.failed("GetItem", key, &error))?;
        Ok(answer.item)
    }

    /// The items under `keys`, which name none twice, by key.
    pub(super) async fn get_many(
        &self,
        keys: &[String],
    ) -> Result<HashMap<String, Item>, LeaseError> {
        if let [key] = keys {
            // Costs what a batch of one does, and cannot be left unprocessed.
            let item = self.get(key).await?;
            return Ok(item.map(|item| (key.clone(), item)).into_iter().collect());
        }
        let calls: Vec<_> = keys
            .chunks(KEYS_A_BATCH)
            .map(|keys| self.get_batch(keys))
            .collect();
        let calls = stream::iter(calls).buffered(BATCHES_AT_ONCE);
        let batches: Vec<_> = calls.try_collect().await?;
        let items = batches.into_iter().flatten();
        let keyed = items.filter_map(|item| {
            let key = item.get(item::KEY)?.as_s().ok()?.clone();
            Some((key, item))
        });
        Ok(keyed.collect())
    }

    async fn get_batch(&self, keys: &[String]) -> Result<Vec<Item>, LeaseError> {
        let mut found = Vec::with_capacity(keys.len());
        let mut left: Vec<_> = keys
            .iter()
            .map(|key| HashMap::from([(item::KEY.to_owned(), item::string(key))]))
            .collect();
        for attempt in 0..BATCH_ATTEMPTS {
            if attempt > 0 {
                let (base, cap) = BATCH_BACKOFF;
                let pause = backoff::delay(attempt - 1, base, cap, fastrand::u64(..));
                tokio::time::sleep(pause).await;
            }
            let asked = KeysAndAttributes::builder()
                .set_keys(Some(left))
                .consistent_read(true)
                .build()
                .map_err(|error| self.failed("BatchGetItem", &keys[0], &error))?;
            let call = self
                .client()
                .batch_get_item()
                .request_items(&self.name, asked)
                .customize()
                .interceptor(self.clock.reader())
                .send();
            let answer = call.await;
            let answer = answer.map_err(|error| self.failed("BatchGetItem", &keys[0], &error))?;
            let tables = answer.responses.into_iter().flatten();
            found.extend(tables.flat_map(|(_, items)| items));
            let unprocessed = answer.unprocessed_keys.into_iter().flatten();
            left = unprocessed.flat_map(|(_, left)| left.keys).collect();
            if left.is_empty() {
                return Ok(found);
            }
        }
        let text = format!(
            "BatchGetItem left {} of {} keys unprocessed {BATCH_ATTEMPTS} times, `{}` the first",
            left.len(),
            keys.len(),
            keys[0],
        );
        Err(self.error(text).into())
    }

    /// Writes what `expression` says under `key`, where its condition holds.
    pub(super) async fn update(
        &self,
        key: &str,
        expression: Expression,
        answered_with: ReturnValue,
    ) -> Result<Put, LeaseError> {
        let expression = expression.written();
        let call = self
            .client()
            .update_item()
            .table_name(&self.name)
            .key(item::KEY, item::string(key))
            .update_expression(expression.update)
            .condition_expression(expression.condition)
            .set_expression_attribute_names(Some(expression.names))
            .set_expression_attribute_values(expression.values)
            .return_values(answered_with)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .customize()
            .interceptor(self.clock.reader())
            .send();
        match call.await {
            Ok(answer) => Ok(Put::Stored(answer.attributes.unwrap_or_default())),
            Err(error) => match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(refused)) => {
                    Ok(Put::Refused(refused.item.clone()))
                }
                _ => Err(self.failed("UpdateItem", key, &error)),
            },
        }
    }

    /// What a call failed with.
    pub(super) fn failed(
        &self,
        operation: &str,
        key: &str,
        error: &(dyn Error + 'static),
    ) -> LeaseError {
        self.error(format!("{operation} of `{key}`: {}", error_chain(error)))
            .into()
    }

    /// An item that is none of the store's.
    pub(super) fn malformed(&self, key: &str, Malformed(text): Malformed) -> LeaseError {
        self.error(format!("the row `{key}`: {text}")).into()
    }

    pub(super) fn error(&self, text: impl fmt::Display) -> String {
        format!("the lease table `{}`: {text}", self.name)
    }
}

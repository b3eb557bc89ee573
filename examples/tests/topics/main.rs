//! The examples, each run with its manual twin by one test: what the one claims, both do.

mod embedded;
mod support;
mod table;
#[cfg(feature = "dynamodb-lease")]
mod template;

mod kinesis_asyncapi;
mod kinesis_batch_context;
mod kinesis_batches;
mod kinesis_broker_credentials;
mod kinesis_broker_endpoint;
mod kinesis_broker_errors;
mod kinesis_broker_shutdown;
mod kinesis_context;
mod kinesis_envelope;
mod kinesis_first_service;
mod kinesis_headers;
#[cfg(feature = "dynamodb-lease")]
mod kinesis_leases_dynamodb;
mod kinesis_leases_key;
#[cfg(feature = "dynamodb-lease")]
mod kinesis_leases_legacy;
mod kinesis_leases_memory;
mod kinesis_leases_owner;
mod kinesis_leases_store;
#[cfg(feature = "dynamodb-lease")]
mod kinesis_leases_two_instances;
mod kinesis_out_retry;
mod kinesis_partition_key;
#[cfg(feature = "dynamodb-lease")]
mod kinesis_production;
mod kinesis_publishing;
mod kinesis_replies;
mod kinesis_retries;
mod kinesis_seek;
mod kinesis_settlement;
mod kinesis_slots;
mod kinesis_start_at;
mod kinesis_subscriptions;
mod kinesis_testing;
mod kinesis_testing_live;

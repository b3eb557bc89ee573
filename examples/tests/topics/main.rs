//! The examples, each run with its manual twin by one test: what the one claims, both do.

mod support;
mod table;

mod kinesis_batch_context;
mod kinesis_batches;
mod kinesis_context;
mod kinesis_envelope;
mod kinesis_first_service;
mod kinesis_headers;
mod kinesis_out_retry;
mod kinesis_partition_key;
mod kinesis_publishing;
mod kinesis_replies;
mod kinesis_retries;
mod kinesis_seek;
mod kinesis_settlement;
mod kinesis_slots;
mod kinesis_start_at;
mod kinesis_subscriptions;

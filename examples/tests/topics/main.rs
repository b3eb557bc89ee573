//! The examples, each run with its manual twin by one test: what the one claims, both do.

mod support;

mod kinesis_first_service;
mod kinesis_subscriptions;

//! The specification's example apps, each with what it promises: one body for every stand.

#![expect(
    clippy::missing_panics_doc,
    reason = "a body panics where the promise it is named after does not hold"
)]

pub mod batches;
pub mod contexts;
pub mod first_service;
pub mod keys;
pub mod replies;
pub mod retries;
pub mod seeking;

use ruststream::testing::BrokerHandle;
use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

/// What most of the apps read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "orders")]
pub struct Order {
    /// Tells the orders of a test apart.
    pub id: u64,
}

/// The orders of those ids.
#[must_use]
pub fn orders(ids: &[u64]) -> Vec<Order> {
    ids.iter().map(|&id| Order { id }).collect()
}

/// Publishes orders one after the other, each once the reaction to the one before has settled.
pub async fn publish_orders(broker: &BrokerHandle<'_>, ids: &[u64]) {
    for order in orders(ids) {
        broker
            .message(&order)
            .publish()
            .await
            .expect("the broker takes the order and the reaction settles");
    }
}

/// What an app of these suites is called.
#[must_use]
pub fn info() -> AppInfo {
    AppInfo::new("orders", "0.1.0")
}

//! Counts what was read, the same way for every reader.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

use crate::Outcome;
use crate::order::Order;
use crate::page;

/// The orders of this process.
pub(crate) static READ: Tally = Tally {
    orders: AtomicU64::new(0),
    ids: AtomicU64::new(0),
    complete: Notify::const_new(),
};

pub(crate) struct Tally {
    orders: AtomicU64,
    ids: AtomicU64,
    complete: Notify,
}

impl Tally {
    pub(crate) fn count(&self, order: &Order) {
        self.ids.fetch_add(order.id, Ordering::Relaxed);
        if self.orders.fetch_add(1, Ordering::AcqRel) + 1 == page::ORDERS {
            self.complete.notify_one();
        }
    }

    /// Waits for the last order.
    pub(crate) async fn complete(&self) {
        self.complete.notified().await;
    }

    /// Each order once: their ids count from zero.
    pub(crate) fn check(&self) -> Outcome<()> {
        let (orders, ids) = (
            self.orders.load(Ordering::Acquire),
            self.ids.load(Ordering::Acquire),
        );
        if orders == page::ORDERS && ids == page::ORDERS * (page::ORDERS - 1) / 2 {
            Ok(())
        } else {
            Err(format!("read {orders} orders with ids that add up to {ids}").into())
        }
    }
}

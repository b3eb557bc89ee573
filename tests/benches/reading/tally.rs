//! Counts what was read, the same way for every reader.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

use crate::Outcome;
use crate::order::Order;
use crate::page;

/// The orders of this process.
pub(crate) static READ: Tally = Tally::of(page::ORDERS);

/// The orders of this process, where there are few.
pub(crate) static FEW: Tally = Tally::of(page::FEW_ORDERS);

pub(crate) struct Tally {
    expected: u64,
    orders: AtomicU64,
    ids: AtomicU64,
    complete: Notify,
}

impl Tally {
    const fn of(expected: u64) -> Self {
        Self {
            expected,
            orders: AtomicU64::new(0),
            ids: AtomicU64::new(0),
            complete: Notify::const_new(),
        }
    }

    pub(crate) fn count(&self, order: &Order) {
        self.ids.fetch_add(order.id, Ordering::Relaxed);
        if self.orders.fetch_add(1, Ordering::AcqRel) + 1 == self.expected {
            self.complete.notify_one();
        }
    }

    /// How many orders were read so far.
    pub(crate) fn orders(&self) -> u64 {
        self.orders.load(Ordering::Acquire)
    }

    /// Waits for the last order.
    pub(crate) async fn complete(&self) {
        self.complete.notified().await;
    }

    /// Each order once: their ids count from zero.
    pub(crate) fn check(&self) -> Outcome<()> {
        let (orders, ids) = (self.orders(), self.ids.load(Ordering::Acquire));
        if orders == self.expected && ids == self.expected * (self.expected - 1) / 2 {
            Ok(())
        } else {
            Err(format!("read {orders} orders with ids that add up to {ids}").into())
        }
    }
}

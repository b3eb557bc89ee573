//! What the test harness counts: the records a subscription was given and has not answered.

use std::sync::OnceLock;

use futures::FutureExt;
use ruststream::testing::Coordinator;

/// The harness's counter, once one is installed; without it every call does nothing.
#[derive(Default)]
pub(super) struct Counts {
    coordinator: OnceLock<Coordinator>,
}

impl Counts {
    /// The first installed stays, as the harness asks.
    pub(super) fn install(&self, coordinator: Coordinator) {
        let _ = self.coordinator.set(coordinator);
    }

    pub(super) fn is_installed(&self) -> bool {
        self.coordinator.get().is_some()
    }

    /// That many records wait for the subscription.
    pub(super) fn enqueued(&self, records: usize) {
        if let Some(coordinator) = self.coordinator.get() {
            (0..records).for_each(|_| coordinator.enqueued());
        }
    }

    /// That many records are answered, or will not be read.
    pub(super) fn consumed(&self, records: usize) {
        if let Some(coordinator) = self.coordinator.get() {
            (0..records).for_each(|_| coordinator.consumed());
        }
    }

    /// Whether anything at all is counted: the runtime holds a count of its own around each
    /// settlement, so a delivery that gave its own back sees one here unless it is settled by hand.
    pub(super) fn is_dispatching(&self) -> bool {
        // The one use of an item the framework hides: it is outside the promise of its versions.
        self.coordinator
            .get()
            .is_some_and(|coordinator| !matches!(coordinator.drive().now_or_never(), Some(Ok(()))))
    }
}

//! The time a lease store goes by.

use std::time::Duration;

/// A moment by a store's clock, in milliseconds since that clock's epoch: at least `earliest`, at
/// most `latest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoreTime {
    pub(crate) earliest: u64,
    pub(crate) latest: u64,
}

impl StoreTime {
    /// The moment that long after the epoch of a clock that is read without doubt.
    pub(crate) fn since_epoch(elapsed: Duration) -> Self {
        Self {
            earliest: millis(elapsed),
            latest: millis_up(elapsed),
        }
    }

    /// The end of what begins now and lasts for `duration`, never too early.
    pub(crate) fn end_of(self, duration: Duration) -> u64 {
        self.latest.saturating_add(millis_up(duration))
    }

    /// Whether what ends at `expiry` is certainly over.
    pub(crate) const fn is_past(self, expiry: u64) -> bool {
        self.earliest >= expiry
    }
}

/// Whole milliseconds, the last one not begun.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn millis_up(duration: Duration) -> u64 {
    let begun = u64::from(!duration.subsec_nanos().is_multiple_of(1_000_000));
    millis(duration).saturating_add(begun)
}

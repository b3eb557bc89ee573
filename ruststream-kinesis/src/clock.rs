//! The one place that reads a clock.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// This process's monotonic time, which a test's paused runtime clock controls.
#[expect(
    clippy::disallowed_methods,
    reason = "the one reader of the monotonic clock"
)]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Milliseconds since the Unix epoch by this host's wall clock.
///
/// Only for what people and the service read; leases and pauses go by [`now`].
#[expect(
    clippy::disallowed_methods,
    reason = "the one reader of the wall clock"
)]
pub(crate) fn wall_millis() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| {
            u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
        })
}

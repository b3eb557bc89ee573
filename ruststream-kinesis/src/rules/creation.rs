//! How long a stream that is to be created is waited for.

use std::time::{Duration, Instant};

use super::backoff;

/// How long a stream may take to become usable.
const USABLE_WITHIN: Duration = Duration::from_mins(1);
/// The first pause between looks: a local stack creates at once.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
/// The longest. Source: `DescribeStreamSummary` API reference, 20 calls a second per account.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The wait for one stream.
#[derive(Debug)]
pub(crate) struct Creation {
    until: Instant,
    looks: u32,
}

impl Creation {
    /// A wait that begins now.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            until: now + USABLE_WITHIN,
            looks: 0,
        }
    }

    /// When to look again at a stream that was seen in `state`.
    ///
    /// # Errors
    ///
    /// A sentence that names the state, once the time is over.
    pub(crate) fn look_again(&mut self, state: &str, now: Instant) -> Result<Instant, String> {
        if now >= self.until {
            return Err(format!(
                "the stream is still {state} {USABLE_WITHIN:?} after it was to be created"
            ));
        }
        let pause = backoff::ceiling(self.looks, FIRST_PAUSE, LONGEST_PAUSE);
        self.looks = self.looks.saturating_add(1);
        Ok((now + pause).min(self.until))
    }
}

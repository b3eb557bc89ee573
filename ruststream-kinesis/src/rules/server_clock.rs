//! The clock of a server, as its answers tell it.
//!
//! An answer bears the second in which it was made, somewhere between the call and its receipt:
//!
//! ```text
//!           sent          made              received
//!   here ────┼─────────────┼────────────────────┼──►
//!   there ───┼──[date ─────┼─── date + 1 s)─────┼──►
//!
//!   when received, it is there   at least  date
//!                                at most   date + 1 s + the time between sent and received
//! ```
//!
//! Every answer narrows what is known, down to a few milliseconds after some of them.

use std::time::{Duration, Instant};

use super::store_time::StoreTime;

/// How finely a `Date` header tells the time (RFC 9110, section 5.6.7).
const RESOLUTION: Duration = Duration::from_secs(1);

/// The part by which two clocks may drift apart: one in so many. The kernel slews a clock by at most
/// 500 millionths, on top of what its crystal is off.
const DRIFT: u32 = 1_000;

/// What is known of a server's clock.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerClock {
    known: Option<Known>,
}

/// The server's time at `at`, counted from the Unix epoch.
#[derive(Debug, Clone, Copy)]
struct Known {
    at: Instant,
    earliest: Duration,
    latest: Duration,
}

impl ServerClock {
    /// Learns from an answer whose call was sent at `sent`, which was received at `received` and
    /// bears `date`, counted from the Unix epoch.
    ///
    /// An answer that contradicts the ones before it comes from a clock that was set: what was known
    /// is void.
    pub(crate) fn answered(&mut self, sent: Instant, received: Instant, date: Duration) {
        let told = Known {
            at: received,
            earliest: date,
            latest: date + RESOLUTION + received.saturating_duration_since(sent),
        };
        let before = self.known.map(|known| known.moved_to(received));
        self.known = Some(before.and_then(|known| known.with(told)).unwrap_or(told));
    }

    /// The server's time at `now`; nothing before its first answer.
    pub(crate) fn at(&self, now: Instant) -> Option<StoreTime> {
        let known = self.known?.moved_to(now);
        Some(StoreTime {
            earliest: StoreTime::since_epoch(known.earliest).earliest,
            latest: StoreTime::since_epoch(known.latest).latest,
        })
    }
}

impl Known {
    /// The same knowledge, at another moment.
    fn moved_to(self, at: Instant) -> Self {
        let later = at.saturating_duration_since(self.at);
        let sooner = self.at.saturating_duration_since(at);
        let drift = (later + sooner) / DRIFT;
        Self {
            at,
            earliest: (self.earliest + later).saturating_sub(sooner + drift),
            latest: (self.latest + later + drift).saturating_sub(sooner),
        }
    }

    /// What both know of one moment; nothing where they contradict each other.
    fn with(self, other: Self) -> Option<Self> {
        let both = Self {
            at: self.at,
            earliest: self.earliest.max(other.earliest),
            latest: self.latest.min(other.latest),
        };
        (both.earliest <= both.latest).then_some(both)
    }
}

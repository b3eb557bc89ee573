//! The time of one held lease.
//!
//! ```text
//!  acquired ─► Held ──renewed──► Held
//!               │ └─failed──► Held (asked again sooner, with jitter)
//!               └─ no renewal confirmed for the whole duration ─► Lost
//! ```
//!
//! A lease is counted from the moment its call was sent, so it is never thought longer than the
//! store thinks it.

use std::time::{Duration, Instant};

use super::backoff;

/// The pause before a failed renewal is tried again, at first.
const RETRY_BASE: Duration = Duration::from_millis(250);

/// What a lease asks for next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Renew it now.
    Renew,
    /// Nothing until then.
    Wait(Instant),
    /// The lease is over by this process's clock; another owner may hold it.
    Lost,
}

/// When one held lease ends and is renewed.
#[derive(Debug)]
pub(crate) struct Term {
    duration: Duration,
    renew_every: Duration,
    valid_until: Instant,
    /// When it is renewed next.
    renew_at: Instant,
    failures: u32,
}

impl Term {
    /// A lease whose acquiring call was sent at `asked`.
    pub(crate) fn new(duration: Duration, renew_every: Duration, asked: Instant) -> Self {
        Self {
            duration,
            renew_every,
            valid_until: asked + duration,
            renew_at: asked + renew_every,
            failures: 0,
        }
    }

    /// What to do at `now`.
    pub(crate) fn action(&self, now: Instant) -> Action {
        if now >= self.valid_until {
            Action::Lost
        } else if now >= self.renew_at {
            Action::Renew
        } else {
            // A retry may be meant for after the end, which is not to be slept through.
            Action::Wait(self.renew_at.min(self.valid_until))
        }
    }

    /// Until when the lease is certainly held.
    pub(crate) const fn valid_until(&self) -> Instant {
        self.valid_until
    }

    /// Until when a renewal that is due may wait for the writer before it: half a lease is left
    /// then.
    pub(crate) fn renew_by(&self) -> Instant {
        let half_over = self
            .valid_until
            .checked_sub(self.duration / 2)
            .unwrap_or(self.valid_until);
        self.renew_at.max(half_over).min(self.valid_until)
    }

    /// The store confirmed a renewal that was sent at `asked`.
    pub(crate) fn renewed(&mut self, asked: Instant) {
        self.valid_until = asked + self.duration;
        self.renew_at = asked + self.renew_every;
        self.failures = 0;
    }

    /// The store failed a renewal; nothing is known of the row.
    pub(crate) fn failed(&mut self, now: Instant, random: u64) {
        let pause = backoff::delay(self.failures, RETRY_BASE, self.renew_every, random);
        self.failures = self.failures.saturating_add(1);
        self.renew_at = now + pause.max(RETRY_BASE / 2);
    }
}

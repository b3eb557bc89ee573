//! When a shard may be read next.
//!
//! Four things hold a read back, and the latest of them decides:
//!
//! * the service's count: five reads in any second;
//! * the service's bandwidth: pages pay for their bytes, with ten mebibytes to spend at once, and
//!   a full page waits out its penalty;
//! * the pause of an idle shard: near the tip, one poll interval from read to read;
//! * a throttle: at least one poll interval, longer with jitter while it repeats.

use std::time::{Duration, Instant};

use super::backoff;

/// Reads one shard answers in a second.
///
/// Source: `GetRecords` API reference.
pub(crate) const READS_PER_SECOND: usize = 5;

/// Bytes one shard answers in a second, to all its readers together.
///
/// Source: quotas page, shard read throughput of 2 MiB/s.
pub(crate) const BYTES_PER_SECOND: u64 = 2 * 1024 * 1024;

/// What a full page holds the next read back, and what a shard that was idle may spend at once.
///
/// Source: `GetRecords` API reference, throttled for five seconds after a 10 MiB reply.
pub(crate) const LONGEST_PAGE_PENALTY: Duration = Duration::from_secs(5);

/// A page that ended because the next record did not fit: 10 MiB less one record.
///
/// Source: `GetRecords` API reference, 10 MiB; quotas page, records of 1 MiB by default.
pub(crate) const FULL_PAGE: u64 = 9 * 1024 * 1024;

/// The second the service counts reads in, and a margin for the difference between two clocks.
const READ_WINDOW: Duration = Duration::from_millis(1_020);

/// An even spread of the reads: what a throttle waits where the poll interval is shorter still.
const READ_SPACING: Duration = Duration::from_millis(200);

/// The longest wait of a throttle that keeps repeating, unless the poll interval is longer.
pub(crate) const LONGEST_THROTTLE: Duration = Duration::from_secs(10);

/// The pace of one shard's reads.
#[derive(Debug)]
pub(crate) struct Pacing {
    poll_interval: Duration,
    /// The last reads, a ring: `oldest` is the one that the next read must keep a second from.
    reads: [Option<Instant>; READS_PER_SECOND],
    oldest: usize,
    /// When the latest read was sent.
    started: Option<Instant>,
    /// What the service imposes after a full page and after a throttle.
    held_until: Option<Instant>,
    /// When the bytes read so far are paid for at the shard's bandwidth.
    paid: Option<Instant>,
    /// The pause of an idle shard.
    idle_until: Option<Instant>,
    throttles: u32,
}

impl Pacing {
    /// A shard that has not been read, with the pause to keep near its tip.
    pub(crate) const fn new(poll_interval: Duration) -> Self {
        Self {
            poll_interval,
            reads: [None; READS_PER_SECOND],
            oldest: 0,
            started: None,
            held_until: None,
            paid: None,
            idle_until: None,
            throttles: 0,
        }
    }

    /// The earliest instant for the next read, `now` or later.
    pub(crate) fn next_read(&self, now: Instant) -> Instant {
        let counted = self.reads[self.oldest].map(|read| read + READ_WINDOW);
        [counted, self.held_until, self.paid, self.idle_until]
            .into_iter()
            .flatten()
            .fold(now, Instant::max)
    }

    /// A read is sent. Every one is reported, those that fail too.
    pub(crate) const fn read_started(&mut self, now: Instant) {
        self.reads[self.oldest] = Some(now);
        self.oldest = (self.oldest + 1) % READS_PER_SECOND;
        self.started = Some(now);
    }

    /// The latest read answered a page of `bytes`; `behind` when the page says more is waiting.
    pub(crate) fn page(&mut self, now: Instant, bytes: u64, behind: bool) {
        self.read_ended(now);
        self.throttles = 0;
        self.held_until = (bytes >= FULL_PAGE).then(|| now + LONGEST_PAGE_PENALTY);
        // An idle shard saves up to one full page.
        let saved = now.checked_sub(LONGEST_PAGE_PENALTY);
        let from = self.paid.max(saved).unwrap_or(now);
        self.paid = Some(from + cost(bytes));
        self.idle_until = (!behind).then(|| self.started.unwrap_or(now) + self.poll_interval);
    }

    /// The latest read was throttled, or failed in a way worth repeating.
    pub(crate) fn throttled(&mut self, now: Instant, random: u64) {
        self.read_ended(now);
        let shortest = self.poll_interval.max(READ_SPACING);
        self.throttles = self.throttles.saturating_add(1);
        let longest = LONGEST_THROTTLE.max(shortest);
        let high = backoff::ceiling(self.throttles, shortest, longest);
        let low = shortest.max(high / 2);
        self.held_until = Some(now + backoff::between(low, high, random));
    }

    /// The reader was moved: there may be records at once, so the idle pause is over.
    pub(crate) const fn repositioned(&mut self) {
        self.idle_until = None;
    }

    /// The latest read was answered: the service saw it at some time up to now, so the second is
    /// counted from here.
    pub(crate) fn read_ended(&mut self, now: Instant) {
        let latest = (self.oldest + READS_PER_SECOND - 1) % READS_PER_SECOND;
        if let Some(read) = &mut self.reads[latest] {
            *read = now.max(*read);
        }
    }
}

/// What a page of `bytes` costs at the shard's bandwidth.
fn cost(bytes: u64) -> Duration {
    const NANOS_PER_SECOND: u64 = 1_000_000_000;
    let nanos = u128::from(bytes) * u128::from(NANOS_PER_SECOND) / u128::from(BYTES_PER_SECOND);
    u64::try_from(nanos)
        .map_or(LONGEST_PAGE_PENALTY, Duration::from_nanos)
        .min(LONGEST_PAGE_PENALTY)
}

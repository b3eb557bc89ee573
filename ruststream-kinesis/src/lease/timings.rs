//! How long leases last.

use std::time::Duration;

use typed_builder::TypedBuilder;

/// The longest lease: beyond it an instance that died holds its shards too long to be of use.
const LONGEST_LEASE: Duration = Duration::from_hours(1);

/// How long a lease lasts and how often it is renewed.
///
/// ```
/// use std::time::Duration;
/// use ruststream_kinesis::LeaseTimings;
///
/// let patient = LeaseTimings::builder()
///     .lease_ttl(Duration::from_secs(30))
///     .renew_every(Duration::from_secs(9))
///     .build();
/// # let _ = patient;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, TypedBuilder)]
pub struct LeaseTimings {
    /// How long a lease lasts after it was taken or renewed, at most an hour; ten seconds when left
    /// out. A shard of an instance that died is free after this time.
    #[builder(default = Duration::from_secs(10))]
    pub(crate) lease_ttl: Duration,
    /// The pause between renewals; three seconds when left out. It is shorter than half the
    /// duration, so that one failed renewal never costs a lease.
    #[builder(default = Duration::from_secs(3))]
    pub(crate) renew_every: Duration,
}

impl Default for LeaseTimings {
    fn default() -> Self {
        Self::builder().build()
    }
}

impl LeaseTimings {
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if self.lease_ttl > LONGEST_LEASE {
            return Err(
                "a lease lasts at most an hour: a shard of a dead instance waits for its end",
            );
        }
        if self.renew_every.is_zero() || self.renew_every >= self.lease_ttl / 2 {
            return Err("a lease is renewed more than twice in its duration, and not in a loop");
        }
        Ok(())
    }
}

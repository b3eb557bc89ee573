//! Who reads a shard, and how far: the port to a lease store.

mod memory;

use std::error::Error;
use std::fmt;
use std::future::ready;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use typed_builder::TypedBuilder;

pub use memory::MemoryLeaseStore;

/// The checkpoint of a shard that was read to its end; its children may start.
pub const SHARD_END: &str = "SHARD_END";

/// What a lease store answers when it fails a call.
pub type LeaseError = Box<dyn Error + Send + Sync>;

/// Names one stream's shard in a lease store.
///
/// Shard ids repeat across streams, so a key holds both; the stream is spelt as its descriptor
/// spells it. Displays as `stream:shard`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseKey {
    stream: String,
    shard: String,
}

impl LeaseKey {
    /// The key of `shard` of `stream`.
    #[must_use]
    pub fn new(stream: impl Into<String>, shard: impl Into<String>) -> Self {
        Self {
            stream: stream.into(),
            shard: shard.into(),
        }
    }

    /// The stream, as its descriptor names it.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// The shard's id.
    #[must_use]
    pub fn shard(&self) -> &str {
        &self.shard
    }
}

impl fmt::Display for LeaseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.stream, self.shard)
    }
}

/// What a store keeps of one shard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseState {
    /// The sequence number every record up to which is handled, [`SHARD_END`], or nothing yet.
    pub checkpoint: Option<String>,
    /// Where the shard's reader opened or was moved to, unless a checkpoint was stored since: it is
    /// read on from there, whatever the checkpoint says. What [`LeaseStore::keep_cursor`] was given.
    pub cursor: Option<String>,
}

impl LeaseState {
    /// The same state with `sequence` as its checkpoint.
    #[must_use]
    pub fn with_checkpoint(mut self, sequence: impl Into<String>) -> Self {
        self.checkpoint = Some(sequence.into());
        self
    }

    /// The same state with `cursor` as its cursor.
    #[must_use]
    pub fn with_cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }
}

/// Each shard's owner and checkpoint.
///
/// `false` from a write means fenced: another owner holds the shard. An error means the store
/// failed and nothing is known of the write. A call may be dropped before it answers; the next one
/// must find the row in one state or the other.
pub trait LeaseStore: Send + Sync + 'static {
    /// Takes the shard for `owner` for `ttl` from now: where nobody holds it, where the lease has
    /// expired, and where `owner` holds it already. A checkpoint in the row stays.
    fn acquire<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>>;

    /// Extends `owner`'s lease to `ttl` from now.
    fn renew<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>>;

    /// Stores `sequence` as the shard's checkpoint while `owner` holds the lease. A cursor in the
    /// row is over with it.
    fn checkpoint<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        sequence: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>>;

    /// The shard's stored state; the default state where there is none.
    fn read<'a>(&'a self, key: &'a LeaseKey) -> BoxFuture<'a, Result<LeaseState, LeaseError>>;

    /// Keeps `cursor`, an opaque text, beside the checkpoint while `owner` holds the lease: where
    /// the shard's reader opened or was moved to, so that an owner that stops before its next
    /// checkpoint is followed from there and not from a later tip or an earlier checkpoint.
    ///
    /// A store that does not provide this keeps nothing: a shard whose owner stopped before its
    /// first checkpoint then opens as if it had none.
    fn keep_cursor<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        cursor: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let _ = (key, owner, cursor);
        ready(Ok(true)).boxed()
    }

    /// Hands the shard back, so that the next owner need not wait for the lease to expire. Nothing
    /// happens where `owner` does not hold it.
    fn release<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>>;
}

/// The longest lease: beyond it an instance that died holds its shards too long to be of use.
const LONGEST_LEASE: Duration = Duration::from_hours(1);

/// How long a lease lasts and how often it is renewed.
///
/// ```
/// use std::time::Duration;
/// use ruststream_kinesis::LeaseTimings;
///
/// let patient = LeaseTimings::builder()
///     .duration(Duration::from_secs(30))
///     .renew_every(Duration::from_secs(9))
///     .build();
/// # let _ = patient;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, TypedBuilder)]
pub struct LeaseTimings {
    /// How long a lease lasts after it was taken or renewed, at most an hour; ten seconds when left
    /// out. A shard of an instance that died is free after this time.
    #[builder(default = Duration::from_secs(10))]
    pub(crate) duration: Duration,
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
        if self.duration > LONGEST_LEASE {
            return Err(
                "a lease lasts at most an hour: a shard of a dead instance waits for its end",
            );
        }
        if self.renew_every.is_zero() || self.renew_every >= self.duration / 2 {
            return Err("a lease is renewed more than twice in its duration, and not in a loop");
        }
        Ok(())
    }
}

//! Who reads a shard, and how far: the port to a lease store.

#[cfg(feature = "dynamodb-lease")]
mod dynamodb;
mod memory;
mod shown;

use std::error::Error;
use std::fmt;
use std::future::ready;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use typed_builder::TypedBuilder;

#[cfg(feature = "dynamodb-lease")]
pub use dynamodb::DynamoLeaseStore;
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
    /// Who holds the lease; nothing where it is free or has expired, and from a store that does
    /// not tell.
    pub owner: Option<String>,
    /// When the stream the row was written for was created, in milliseconds since the epoch: a
    /// stream that was created again under its name is another one.
    pub stream_created: Option<u64>,
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

    /// The same state held by `owner`.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// The same state, of a stream created at `millis` since the epoch.
    #[must_use]
    pub const fn with_stream_created(mut self, millis: u64) -> Self {
        self.stream_created = Some(millis);
        self
    }

    /// Whether nothing is known of how far the shard was read.
    pub(crate) const fn is_untouched(&self) -> bool {
        self.checkpoint.is_none() && self.cursor.is_none()
    }

    /// Whether the row was written for another stream of the same name than the one created then.
    pub(crate) fn is_stale(&self, stream_created: Option<u64>) -> bool {
        matches!((self.stream_created, stream_created), (Some(of), Some(now)) if of != now)
    }
}

/// Where a shard opens if its row does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// The cursor to keep in the row; nothing where the caller keeps it later.
    pub cursor: Option<String>,
    /// Whether the cursor replaces what the row says: a position was asked for.
    pub replaces: bool,
    /// When the stream was created, in milliseconds since the epoch. What a row says of a stream
    /// created at another time counts for nothing.
    pub stream_created: Option<u64>,
}

impl Opening {
    /// Whether the cursor belongs in a row that holds `state`.
    #[must_use]
    pub fn is_for(&self, state: &LeaseState) -> bool {
        self.replaces || state.is_untouched() || state.is_stale(self.stream_created)
    }
}

/// One instance that reads a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The name it holds leases under.
    pub owner: String,
    /// How many shards it reads at most; nothing where it takes what it gets.
    pub max_leases: Option<usize>,
}

impl Member {
    /// An instance that holds leases as `owner`, at most `max_leases` of them.
    #[must_use]
    pub fn new(owner: impl Into<String>, max_leases: Option<usize>) -> Self {
        Self {
            owner: owner.into(),
            max_leases,
        }
    }
}

/// What several instances can see of each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Survey {
    /// The state of each shard that was asked for, in the order asked.
    pub states: Vec<LeaseState>,
    /// The instances that announced themselves and are not known to be gone.
    pub members: Vec<Member>,
}

impl Survey {
    /// What a store saw.
    #[must_use]
    pub const fn new(states: Vec<LeaseState>, members: Vec<Member>) -> Self {
        Self { states, members }
    }
}

/// Each shard's owner and checkpoint.
///
/// `false` from a write means fenced: another owner holds the shard. An error means the store
/// failed and nothing is known of the write. A call may be dropped before it answers; the next one
/// must find the row in one state or the other. A renewal and a checkpoint of one owner may be
/// under way at once.
///
/// Five calls are a store. The others are provided: a store that implements
/// [`survey`](Self::survey), [`announce`](Self::announce) and [`depart`](Self::depart) as well lets
/// the instances of a service share the shards evenly; without them, an instance asks for the
/// leases of others every second and keeps what it gets.
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

    /// [`acquire`](Self::acquire) and [`read`](Self::read) in as few writes as the store can:
    /// takes the shard, keeps the cursor of `opening` where it [is for](Opening::is_for) the row,
    /// and answers what the row held before that; nothing where another owner holds the shard.
    ///
    /// What it answers as the owner is who held the shard before, or `owner` itself. A row whose
    /// cursor or checkpoint is of another stream than [`Opening::stream_created`] stays as it is
    /// where no cursor is given: the next checkpoint or cursor of `owner` makes it one of this
    /// stream.
    fn take<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
        opening: &'a Opening,
    ) -> BoxFuture<'a, Result<Option<LeaseState>, LeaseError>> {
        async move {
            if !self.acquire(key, owner, ttl).await? {
                return Ok(None);
            }
            let found = async {
                let state = self.read(key).await?;
                if let Some(cursor) = &opening.cursor
                    && opening.is_for(&state)
                    && !self.keep_cursor(key, owner, cursor).await?
                {
                    return Ok(None);
                }
                Ok(Some(state))
            };
            let found = found.await;
            if found.is_err() {
                // What is taken but cannot be read is not kept from others; the first failure is
                // the one to tell.
                let _ = self.release(key, owner).await;
            }
            found
        }
        .boxed()
    }

    /// The rows of `shards` of `stream` and the instances that read it, at about one moment. Nothing
    /// from a store that does not provide this.
    fn survey<'a>(
        &'a self,
        stream: &'a str,
        shards: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Option<Survey>, LeaseError>> {
        let _ = (stream, shards);
        ready(Ok(None)).boxed()
    }

    /// Tells the other instances, for `ttl` from now, that `member` reads `stream`, and answers all
    /// that do, `member` among them. Nobody from a store that does not provide this.
    ///
    /// It is called again before `ttl` is over; what it is told last counts.
    fn announce<'a>(
        &'a self,
        stream: &'a str,
        member: &'a Member,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Vec<Member>, LeaseError>> {
        let _ = (stream, member, ttl);
        ready(Ok(Vec::new())).boxed()
    }

    /// Tells the other instances that `owner` no longer reads `stream`.
    fn depart<'a>(
        &'a self,
        stream: &'a str,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        let _ = (stream, owner);
        ready(Ok(())).boxed()
    }
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

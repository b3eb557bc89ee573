//! Who reads a shard, and how far: the port to a lease store.

mod answers;
#[cfg(feature = "dynamodb-lease")]
mod dynamodb;
mod memory;
mod state;
mod timings;

use std::error::Error;
use std::fmt;
use std::future::ready;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

#[cfg(feature = "dynamodb-lease")]
pub use dynamodb::DynamoLeaseStore;
pub use memory::MemoryLeaseStore;
pub use state::{LeaseState, Member, Opening, Survey};
pub use timings::LeaseTimings;

use crate::rules::seen_row;

/// The checkpoint of a shard that was read to its end; its children may start.
pub const SHARD_END: &str = seen_row::SHARD_END;

/// How long an instance waits for an answer of its lease store.
pub(crate) const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

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

/// Each shard's owner and checkpoint.
///
/// `false` from a write means fenced: another owner holds the shard. An error means the store
/// failed and nothing is known of the write. A renewal and a checkpoint of one owner may be under
/// way at once.
///
/// A call may be dropped before it answers; the next one must find the row in one state or the
/// other. None is waited for longer than five seconds, and a renewal, a checkpoint and a cursor no
/// longer than half of what the lease lasts, nor past its end. Only the first
/// [`announce`](Self::announce) may take a minute, for a store that has to make itself ready; a
/// later one may take a quarter of what a lease lasts, and [`depart`](Self::depart) a second.
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

    /// Hands the shard back, so that the next owner need not wait for the lease to expire. Nothing
    /// happens where `owner` does not hold it.
    fn release<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>>;

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

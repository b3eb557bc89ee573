//! The store of several instances: a `DynamoDB` table.

mod answer_date;
mod create;
mod expression;
mod item;
mod known;
mod legacy;
mod members;
mod survey;
mod table;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;
use std::time::Duration;

use aws_config::SdkConfig;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::OnceCell;

use self::item::Item;
use self::known::Known;
use self::table::Table;
use super::{LeaseError, LeaseKey, LeaseState, LeaseStore, Member, Opening, Survey, answers};
use crate::rules::row::Row;

/// Leases and checkpoints in a `DynamoDB` table, through which the instances of a service share the
/// shards.
///
/// ```no_run
/// # async fn demo() {
/// use std::sync::Arc;
///
/// use aws_config::BehaviorVersion;
/// use ruststream_kinesis::prelude::*;
///
/// let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
/// let leases = DynamoLeaseStore::new(&config, "orders-leases").create_table_if_missing();
/// let broker = KinesisBroker::from_config(config).lease_store(Arc::new(leases));
/// # let _ = broker;
/// # }
/// ```
///
/// # The table
///
/// Its partition key is the string `lease_key`; it has no sort key and needs no index, and on-demand
/// billing is enough. One table serves every stream of a service, and several services where no two
/// of them read one stream. The store never turns point-in-time recovery on or off.
///
/// A row holds one stream's shard under the key `stream:shard`:
///
/// | attribute | type | |
/// | --- | --- | --- |
/// | `lease_owner` | string | who holds the lease; absent where it is free |
/// | `lease_expiry` | number | when it ends, in milliseconds since the Unix epoch, by the clock of `DynamoDB` |
/// | `lease_counter` | number | the fencing counter, which every write counts up |
/// | `checkpoint` | string | the sequence number up to which every record is handled, or `SHARD_END` |
/// | `lease_cursor` | string | where the shard is read on if no checkpoint was stored since |
/// | `lease_stream_created` | number | when the stream was created, in milliseconds since the Unix epoch |
///
/// The instances that read a stream announce themselves in the row `stream:members`, each in an
/// attribute of its own. No shard is called `members`: the service names them `shardId-` and a
/// number.
///
/// The policy of the service allows `dynamodb:GetItem`, `dynamodb:BatchGetItem` and
/// `dynamodb:UpdateItem` on the table and, with
/// [`create_table_if_missing`](Self::create_table_if_missing), `dynamodb:DescribeTable` and
/// `dynamodb:CreateTable`.
///
/// # Fencing and clocks
///
/// Every write to a shard's row is conditional on the owner and on the counter it was decided on.
/// Two instances cannot both hold a shard, and a write that was given up on cannot land after a
/// later one: a checkpoint never goes back. The reply of a write that was lost is resolved with the
/// row itself.
///
/// Whether a lease is over is judged by the clock of `DynamoDB`, from the date of its answers, and
/// never by that of a host: instances whose clocks differ do not take live leases from each other.
/// An answer without a date is an error.
///
/// # Errors and cancellation
///
/// A call is tried up to five times within five seconds, two seconds each, and a survey asks again
/// for what `DynamoDB` left unprocessed; what fails then is an error that names the table, the row
/// and every cause. A call may be dropped at any time: its write is then stored before the next one
/// of its owner or never.
pub struct DynamoLeaseStore {
    table: Table,
    known: Known,
    legacy_stream: Option<String>,
    /// Set once the table is there; nothing where it is not to be created.
    created: Option<OnceCell<()>>,
}

impl DynamoLeaseStore {
    /// A store in that table, in the region and with the credentials of `config`. Does no I/O.
    ///
    /// Retries and timeouts are the store's own; what `config` says of them counts for other
    /// clients.
    #[must_use]
    pub fn new(config: &SdkConfig, table: impl Into<String>) -> Self {
        Self {
            table: Table::new(config, table.into()),
            known: Known::default(),
            legacy_stream: None,
            created: None,
        }
    }

    /// Names the stream, as its descriptor does, whose progress stands in the rows of an earlier
    /// version, which are keyed by the shard's id alone.
    ///
    /// A shard of that stream without a checkpoint under its own key resumes from its bare row,
    /// whose checkpoint the first look copies. Other streams pass the bare rows by. Where no stream
    /// is named, a shard whose bare row holds a checkpoint is an error that names the table, the
    /// shard and the stream, and it is not read until a stream is named or the row is deleted.
    ///
    /// Once every stream of the service was subscribed to, the rows whose `lease_key` holds no `:`
    /// can be deleted, and this call with them.
    #[must_use]
    pub fn legacy_stream(mut self, stream: impl Into<String>) -> Self {
        self.legacy_stream = Some(stream.into());
        self
    }

    /// Creates the table before the first call, billed by the request, and waits up to a minute for
    /// it to become active; where that call is dropped, the next one waits on. A table that is there
    /// is left as it is, and one that another instance creates at the same time is waited for.
    #[must_use]
    pub fn create_table_if_missing(mut self) -> Self {
        self.created = Some(OnceCell::new());
        self
    }

    /// Returns once there is a table to call.
    async fn ready(&self) -> Result<(), LeaseError> {
        if let Some(created) = &self.created {
            let create = || create::create_if_missing(&self.table);
            created.get_or_try_init(create).await?;
        }
        Ok(())
    }

    async fn acquire_row(
        &self,
        key: &LeaseKey,
        owner: &str,
        ttl: Duration,
    ) -> Result<bool, LeaseError> {
        let known = self.before_taking(key, owner).await?;
        let acquired = self.write(key, known, None, |row| {
            Ok(row.acquire(owner, ttl, self.table.now()?).then_some(()))
        });
        Ok(acquired.await?.is_some())
    }

    async fn take_row(
        &self,
        key: &LeaseKey,
        owner: &str,
        ttl: Duration,
        opening: &Opening,
    ) -> Result<Option<LeaseState>, LeaseError> {
        let known = self.before_taking(key, owner).await?;
        let now = self.table.now()?;
        if known
            .as_ref()
            .is_some_and(|row| !row.is_free_for(owner, now))
        {
            return Ok(None);
        }
        let bare = if self.known.has_no_bare_row(key.shard()) {
            None
        } else {
            self.bare_checkpoint(key, known.as_ref()).await?
        };
        let taken = self.write(key, known, None, |row| {
            if let Some(checkpoint) = &bare {
                row.adopt(checkpoint);
            }
            Ok(answers::take(row, owner, ttl, self.table.now()?, opening))
        });
        taken.await
    }

    /// The row to decide on whether `owner` may take it: one that was seen just now, if it is free.
    async fn before_taking(&self, key: &LeaseKey, owner: &str) -> Result<Option<Row>, LeaseError> {
        if let Some(now) = self.table.known_time()
            && let Some(known) = self.known.recent(key)
            && known.as_ref().is_none_or(|row| row.is_free_for(owner, now))
        {
            return Ok(known);
        }
        self.get(key).await
    }

    async fn read_row(&self, key: &LeaseKey) -> Result<LeaseState, LeaseError> {
        let own = self.get(key).await?;
        let row = match self.bare_checkpoint(key, own.as_ref()).await? {
            Some(checkpoint) => self.copy_bare(key, own, &checkpoint).await?,
            None => own,
        };
        let now = self.table.now()?;
        Ok(row.map(|row| LeaseState::of(&row, now)).unwrap_or_default())
    }
}

impl LeaseStore for DynamoLeaseStore {
    fn acquire<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        async move {
            self.ready().await?;
            self.acquire_row(key, owner, ttl).await
        }
        .boxed()
    }

    fn renew<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        async move {
            self.ready().await?;
            let renew = |row: &mut Row| Ok(row.renew(owner, ttl, self.table.now()?));
            self.write_held(key, owner, renew).await
        }
        .boxed()
    }

    fn checkpoint<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        sequence: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        async move {
            self.ready().await?;
            let checkpoint = |row: &mut Row| Ok(row.checkpoint(owner, sequence));
            self.write_held(key, owner, checkpoint).await
        }
        .boxed()
    }

    fn keep_cursor<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        cursor: &'a str,
    ) -> BoxFuture<'a, Result<bool, LeaseError>> {
        async move {
            self.ready().await?;
            let keep = |row: &mut Row| Ok(row.keep_cursor(owner, cursor));
            self.write_held(key, owner, keep).await
        }
        .boxed()
    }

    fn read<'a>(&'a self, key: &'a LeaseKey) -> BoxFuture<'a, Result<LeaseState, LeaseError>> {
        async move {
            self.ready().await?;
            self.read_row(key).await
        }
        .boxed()
    }

    fn release<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        async move {
            self.ready().await?;
            let release = |row: &mut Row| Ok(row.release(owner));
            self.write_held(key, owner, release).await?;
            self.known.forget(key);
            Ok(())
        }
        .boxed()
    }

    fn take<'a>(
        &'a self,
        key: &'a LeaseKey,
        owner: &'a str,
        ttl: Duration,
        opening: &'a Opening,
    ) -> BoxFuture<'a, Result<Option<LeaseState>, LeaseError>> {
        async move {
            self.ready().await?;
            self.take_row(key, owner, ttl, opening).await
        }
        .boxed()
    }

    fn survey<'a>(
        &'a self,
        stream: &'a str,
        shards: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Option<Survey>, LeaseError>> {
        async move {
            self.ready().await?;
            self.survey_rows(stream, shards).await.map(Some)
        }
        .boxed()
    }

    fn announce<'a>(
        &'a self,
        stream: &'a str,
        member: &'a Member,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Vec<Member>, LeaseError>> {
        async move {
            self.ready().await?;
            self.announce_member(stream, member, ttl).await
        }
        .boxed()
    }

    fn depart<'a>(
        &'a self,
        stream: &'a str,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        async move {
            self.ready().await?;
            self.depart_member(stream, owner).await
        }
        .boxed()
    }
}

/// Without the configuration, which holds credentials.
impl fmt::Debug for DynamoLeaseStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamoLeaseStore")
            .field("table", &self.table.name())
            .field("legacy_stream", &self.legacy_stream)
            .finish_non_exhaustive()
    }
}

//! What a subscription shows to who looks on.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use super::shard::Shard;
use super::stream::Stream;
use super::take::Rows;
use crate::monitor::{ElsewhereSnapshot, StreamSnapshot};

/// Nothing until the subscription has looked at its shards.
pub(super) type View = Arc<Mutex<Option<Shown>>>;

/// What is shown of one subscription.
pub(super) struct Shown {
    pub(super) stream: Arc<Stream>,
    /// The shards it reads.
    pub(super) shards: Vec<Arc<Shard>>,
    /// The rows of others, as last seen.
    pub(super) rows: Arc<Rows>,
    pub(super) members: Vec<String>,
}

impl Shown {
    pub(super) fn snapshot(&self) -> StreamSnapshot {
        let stream = &self.stream;
        let elsewhere = self.rows.iter().filter_map(|(shard, row)| {
            let owner = row.owner.clone().filter(|owner| *owner != *stream.owner)?;
            Some(ElsewhereSnapshot {
                shard: shard.to_string(),
                owner,
                checkpoint: row.checkpoint.clone(),
            })
        });
        StreamSnapshot {
            stream: stream.name.to_string(),
            owner: stream.owner.to_string(),
            members: self.members.clone(),
            shards: self.shards.iter().map(|shard| shard.snapshot()).collect(),
            elsewhere: elsewhere.collect(),
            throttles: stream.counts.throttles.load(Ordering::Relaxed),
            rewinds: stream.counts.rewinds.load(Ordering::Relaxed),
            lost_leases: stream.counts.lost_leases.load(Ordering::Relaxed),
        }
    }
}

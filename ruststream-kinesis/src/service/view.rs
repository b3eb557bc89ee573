//! What a subscription shows to who looks on.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use super::shard::Shard;
use super::stream::Stream;
use crate::monitor::{ElsewhereSnapshot, StreamSnapshot};
use crate::rules::seen_row::SeenRows;
use crate::rules::shard_graph::ShardId;

/// Nothing until the subscription has looked at its shards.
pub(super) type View = Arc<Mutex<Option<Shown>>>;

/// What is shown of one subscription.
pub(super) struct Shown {
    pub(super) stream: Arc<Stream>,
    /// The shards it reads.
    pub(super) shards: Vec<Arc<Shard>>,
    /// The others that are not over, and their rows as last seen.
    pub(super) others: Vec<ShardId>,
    pub(super) rows: Arc<SeenRows>,
    pub(super) members: Vec<String>,
}

impl Shown {
    pub(super) fn snapshot(&self) -> StreamSnapshot {
        let stream = &self.stream;
        let elsewhere = self.others.iter().map(|shard| {
            let row = self.rows.get(shard);
            ElsewhereSnapshot {
                shard: shard.to_string(),
                owner: row.and_then(|row| row.owner.clone()),
                checkpoint: row.and_then(|row| row.checkpoint.clone()),
            }
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

//! The shards a subscription holds, and how they are handed back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tokio::time::timeout;

use super::shard::Shard;
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::ShardId;

/// How long deliveries may take to settle after their subscription was dropped.
const DRAIN_WITHIN: Duration = Duration::from_secs(5);
/// How long the last checkpoints and the releases may take.
pub(super) const CLOSE_WITHIN: Duration = Duration::from_secs(3);

/// What the coordinator knows of a shard it reads.
pub(super) struct Live {
    pub(super) shard: Arc<Shard>,
    /// Where its reader opened, or was last moved to.
    pub(super) origin: Cursor,
    /// Whether that place was a position, which wins over the row until there is progress.
    pub(super) repositioned: bool,
}

/// Stores the last checkpoint and hands the lease back; what is not released in time expires, and
/// nobody renews it, whatever call is still in flight.
pub(super) async fn close_within(shard: &Shard, shutdown: bool) {
    if timeout(CLOSE_WITHIN, shard.close(shutdown)).await.is_err() {
        shard.give_up(shutdown);
        shard.warn(
            "the lease has to expire",
            &"the store did not answer in time",
        );
    }
}

pub(super) async fn drain(live: &BTreeMap<ShardId, Live>) {
    let drained = join_all(live.values().map(|live| live.shard.drained()));
    // What is still in flight then is read again.
    let _ = timeout(DRAIN_WITHIN, drained).await;
}

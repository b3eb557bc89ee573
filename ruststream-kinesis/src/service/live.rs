//! The shards a subscription holds, and how they are handed back.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use tokio::select;
use tokio::sync::watch;
use tokio::time::timeout;

use super::shard::Shard;
use super::shard_reader::End;
use super::stop::{Stop, told};
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::ShardId;

/// How long deliveries may take to settle after their subscription was dropped.
const DRAIN_WITHIN: Duration = Duration::from_secs(5);
/// How long deliveries of a shard that moves to another instance may take to settle.
const LEAVE_WITHIN: Duration = Duration::from_secs(10);
/// How long the last checkpoints and the releases may take.
pub(super) const CLOSE_WITHIN: Duration = Duration::from_secs(3);

/// What the coordinator knows of a shard it reads.
pub(super) struct Live {
    pub(super) shard: Arc<Shard>,
    /// Where its reader opened, or was last moved to.
    pub(super) origin: Cursor,
    /// Whether that place was a position, which wins over the row until there is progress.
    pub(super) repositioned: bool,
    /// Whether it is about to be handed back for another instance.
    pub(super) leaving: bool,
}

/// Hands a shard back whose reader has stopped, once what was delivered of it is settled. A
/// subscription that is told to stop meanwhile does that itself.
pub(super) async fn leave(shard: Arc<Shard>, mut stop: watch::Receiver<Stop>) -> (Arc<Shard>, End) {
    let drained = select! {
        drained = timeout(LEAVE_WITHIN, shard.drained()) => drained,
        () = told(&mut stop, Stop::Drain) => return (shard, End::Stopped),
    };
    if shard.is_kept_for_later() {
        return (shard, End::Stopped);
    }
    if drained.is_err() {
        shard.warn(
            "the shard is handed to another instance",
            &"some deliveries did not settle in time and are read again",
        );
    }
    if shard.is_given_up() {
        // The lease was lost meanwhile.
        return (shard, End::Stopped);
    }
    close_within(&shard, false).await;
    (shard, End::HandedOver)
}

/// Gives the lease of a parked shard up without handing it back, for whoever takes it next, and
/// waits for the write that is under way: one that landed later would be taken for the next one's.
pub(super) async fn surrender(shard: &Shard) {
    shard.give_up(false);
    // An acknowledgement that nobody polls any more writes nothing.
    if let Ok(mut lease) = timeout(CLOSE_WITHIN, shard.lease.lock()).await {
        *lease = None;
    }
}

/// Stores the last checkpoint and hands the lease back; what is not released in time, or by a store
/// that panics, expires, and nobody renews it, whatever call is still in flight.
pub(super) async fn close_within(shard: &Shard, shutdown: bool) {
    let closing = AssertUnwindSafe(timeout(CLOSE_WITHIN, shard.close(shutdown))).catch_unwind();
    let why = match closing.await {
        Ok(Ok(())) => return,
        Ok(Err(_)) => "the store did not answer in time",
        Err(_) => "the store panicked",
    };
    shard.give_up(shutdown);
    shard.warn("the lease has to expire", &why);
}

pub(super) async fn drain(live: &BTreeMap<ShardId, Live>) {
    let drained = join_all(live.values().map(|live| live.shard.drained()));
    // What is still in flight then is read again.
    let _ = timeout(DRAIN_WITHIN, drained).await;
}

//! Moves a subscription: every iterator is made before any shard moves, so that a refused seek
//! moves nothing.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use tokio::select;
use tokio::sync::watch;

use super::calls;
use super::coordinator::{AT_ONCE, Coordinator};
use super::live::Live;
use super::progress::Opened;
use super::shard::Shard;
use super::stop::{Stop, told};
use super::stream::Stream;
use crate::error::KinesisError;
use crate::position::KinesisPosition;
use crate::rules::cursor::Cursor;
use crate::rules::sequence_number;
use crate::rules::shard_graph::ShardId;

/// Moves the shards that `position` is about.
pub(super) async fn seek(
    coordinator: &mut Coordinator,
    position: KinesisPosition,
) -> Result<(), KinesisError> {
    // A reader that has ended is not one to move.
    coordinator.readers_ended();
    match position {
        KinesisPosition::Horizon => whole_stream(coordinator, Cursor::Horizon).await,
        KinesisPosition::Latest => whole_stream(coordinator, Cursor::Tip).await,
        KinesisPosition::Timestamp(millis) => {
            whole_stream(coordinator, Cursor::Timestamp(millis)).await
        }
        KinesisPosition::Sequence { shard, sequence } => {
            one_shard(coordinator, &shard, sequence).await
        }
    }
}

async fn one_shard(
    coordinator: &mut Coordinator,
    shard: &str,
    sequence: String,
) -> Result<(), KinesisError> {
    let refused = |reason: String| KinesisError::read(&coordinator.stream.name, shard, reason);
    if !sequence_number::is_sequence_number(&sequence) {
        return Err(refused(format!("'{sequence}' is not a sequence number")));
    }
    let live = coordinator.live.get_mut(shard);
    let Some(live) = live.filter(|live| !live.leaving) else {
        return Err(refused(
            "this instance does not read the shard: another one owns it or is about to, it is read to \
             its end, or the stream has no such shard"
                .to_owned(),
        ));
    };
    let stop = coordinator.stop.clone();
    let opened = open(&coordinator.stream, stop, shard, &Cursor::At(sequence)).await?;
    moved(&coordinator.stream, live, opened);
    let shard = Arc::clone(&live.shard);
    keep_positions(&coordinator.stream, vec![shard]).await;
    Ok(())
}

/// Tells the store where the shards were moved to. The seek stands without it: a crash before the
/// next checkpoint then resumes from the last one.
async fn keep_positions(stream: &Stream, shards: Vec<Arc<Shard>>) {
    let keeping = stream::iter(shards)
        .map(|shard| async move { shard.keep_position().await })
        .buffer_unordered(AT_ONCE)
        .collect::<Vec<_>>();
    for kept in keeping.await {
        if let Err(error) = kept {
            stream.outlet.report(error);
        }
    }
}

/// The position wins over what the row says, until there is progress from it.
fn moved(stream: &Stream, live: &mut Live, opened: Opened) {
    live.origin = opened.origin();
    live.repositioned = true;
    tracing::info!(
        target: "ruststream::kinesis",
        subscription = &*stream.name,
        shard = &**live.shard.id(),
        to = ?live.origin,
        "shard repositioned",
    );
    live.shard.reposition(opened);
}

async fn whole_stream(coordinator: &mut Coordinator, to: Cursor) -> Result<(), KinesisError> {
    let plan = coordinator.rules.plan(&to);
    let (stream, stop, cursor) = (&coordinator.stream, &coordinator.stop, &to);
    let is_unlisted = |id: &ShardId| coordinator.rules.is_unlisted(id);
    let opened: Vec<Option<(ShardId, Opened)>> = stream::iter(plan.moved.clone())
        .map(|id| async move {
            match open(stream, stop.clone(), &id, cursor).await {
                // Nothing is to be had of a shard that is gone, wherever the others move.
                Err(error) if error.is_not_found() && is_unlisted(&id) => Ok(None),
                opened => opened.map(|opened| Some((id, opened))),
            }
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    let opened: Vec<_> = opened.into_iter().flatten().collect();
    let at = match opened.iter().map(|(_, opened)| opened.made_at).min() {
        Some(at) => at,
        // Nothing is read here at present: the service tells what time it is.
        None => told_the_time(stream, stop.clone()).await?,
    };
    let mut shards = Vec::new();
    for (id, opened) in opened {
        if let Some(live) = coordinator.live.get_mut(&id) {
            moved(&coordinator.stream, live, opened);
            shards.push(Arc::clone(&live.shard));
        }
    }
    keep_positions(&coordinator.stream, shards).await;
    coordinator.rules.repositioned(&to, &plan, at);
    for id in &plan.parked {
        coordinator.park(id, to.clone());
    }
    coordinator.take_ready().await;
    Ok(())
}

async fn told_the_time(
    stream: &Stream,
    mut stop: watch::Receiver<Stop>,
) -> Result<u64, KinesisError> {
    select! {
        described = calls::describe(stream.clients.home(), &stream.address) => described
            .map(|summary| summary.answered_at)
            .map_err(|failure| KinesisError::stream(&stream.name, failure)),
        () = told(&mut stop, Stop::Drain) => Err(KinesisError::NotConnected),
    }
}

async fn open(
    stream: &Stream,
    mut stop: watch::Receiver<Stop>,
    shard: &str,
    cursor: &Cursor,
) -> Result<Opened, KinesisError> {
    let iterator = select! {
        iterator = calls::shard_iterator(stream.clients.home(), &stream.address, shard, cursor) => {
            iterator.map_err(|failure| KinesisError::read(&stream.name, shard, failure))?
        }
        () = told(&mut stop, Stop::Drain) => return Err(KinesisError::NotConnected),
    };
    Ok(Opened {
        cursor: cursor.clone(),
        iterator: iterator.token,
        made_at: iterator.made_at,
    })
}

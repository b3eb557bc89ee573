//! Moves a subscription. Imitates `service::reposition`, and the command that asks for it
//! `service::seek`.

use std::rc::Rc;
use std::sync::Arc;

use futures::future::Either;
use futures::{StreamExt, TryStreamExt, stream};
use tokio::sync::oneshot;

use super::coordinator::{AT_ONCE, Coordinator, Live};
use super::host::Host;
use super::stop::{Stop, Stopping, told};
use super::world::Failure;
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::ShardId;
use crate::service::progress::Opened;

/// What somebody asks for. Imitates `KinesisPosition`.
#[derive(Debug, Clone)]
pub(super) enum Position {
    Horizon,
    Latest,
    Timestamp(u64),
    Sequence { shard: ShardId, sequence: String },
}

pub(super) struct Command {
    pub(super) position: Position,
    pub(super) answer: oneshot::Sender<Result<(), Failure>>,
}

pub(super) async fn seek(coordinator: &mut Coordinator, position: Position) -> Result<(), Failure> {
    coordinator.readers_ended();
    match position {
        Position::Horizon => whole_stream(coordinator, Cursor::Horizon).await,
        Position::Latest => whole_stream(coordinator, Cursor::Tip).await,
        Position::Timestamp(millis) => whole_stream(coordinator, Cursor::Timestamp(millis)).await,
        Position::Sequence { shard, sequence } => one_shard(coordinator, &shard, sequence).await,
    }
}

async fn one_shard(
    coordinator: &mut Coordinator,
    shard: &ShardId,
    sequence: String,
) -> Result<(), Failure> {
    let live = coordinator.live.get_mut(shard);
    let Some(live) = live.filter(|live| !live.leaving) else {
        return Err(Failure::NotFound);
    };
    let stop = coordinator.stop.clone();
    let opened = open(&coordinator.host, stop, shard, &Cursor::At(sequence)).await?;
    moved(live, opened);
    // The seek stands without it.
    let _ = live.shard.keep_position().await;
    Ok(())
}

fn moved(live: &mut Live, opened: Opened) {
    live.origin = opened.origin();
    live.repositioned = true;
    let host = &live.shard.host;
    host.tell(|| format!("{} moves to {:?}", live.shard.id, live.origin));
    live.shard.reposition(opened);
}

async fn whole_stream(coordinator: &mut Coordinator, to: Cursor) -> Result<(), Failure> {
    let plan = coordinator.rules.plan(&to);
    let (host, stop, cursor) = (&coordinator.host, &coordinator.stop, &to);
    let is_unlisted = |id: &ShardId| coordinator.rules.is_unlisted(id);
    let opened: Vec<Option<(ShardId, Opened)>> = stream::iter(plan.moved.clone())
        .map(|id| async move {
            match open(host, stop.clone(), &id, cursor).await {
                Err(Failure::NotFound) if is_unlisted(&id) => Ok(None),
                opened => opened.map(|opened| Some((id, opened))),
            }
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    let opened: Vec<_> = opened.into_iter().flatten().collect();
    let at = match opened.iter().map(|(_, opened)| opened.made_at).min() {
        Some(at) => at,
        None => told_the_time(host, stop).await?,
    };
    let mut shards = Vec::new();
    for (id, opened) in opened {
        if let Some(live) = coordinator.live.get_mut(&id) {
            moved(live, opened);
            shards.push(Rc::clone(&live.shard));
        }
    }
    stream::iter(shards)
        .map(|shard| async move { shard.keep_position().await })
        .buffer_unordered(AT_ONCE)
        .collect::<Vec<_>>()
        .await;
    coordinator.rules.repositioned(&to, &plan, at);
    for id in &plan.parked {
        coordinator.park(id, to.clone());
    }
    coordinator.take_ready().await;
    Ok(())
}

async fn told_the_time(host: &Rc<Host>, stop: &Stopping) -> Result<u64, Failure> {
    let executor = &host.world.executor;
    let described = executor.first(host.describe(), told(stop, Stop::Drain));
    match described.await {
        Either::Left(told) => told,
        Either::Right(()) => Err(Failure::NotFound),
    }
}

async fn open(
    host: &Rc<Host>,
    stop: Stopping,
    shard: &ShardId,
    cursor: &Cursor,
) -> Result<Opened, Failure> {
    let shard = Arc::clone(shard);
    let making = host.shard_iterator(&shard, cursor);
    let executor = &host.world.executor;
    match executor.first(making, told(&stop, Stop::Drain)).await {
        Either::Left(made) => {
            let made = made?;
            Ok(Opened {
                cursor: cursor.clone(),
                iterator: made.token,
                made_at: made.made_at,
            })
        }
        Either::Right(()) => Err(Failure::NotFound),
    }
}

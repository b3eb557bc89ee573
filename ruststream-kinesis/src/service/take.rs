//! Takes one shard: its lease, its row, its starting cursor.

use std::sync::Arc;

use tokio::select;
use tokio::sync::watch;
use tokio::time::sleep_until;

use super::calls;
use super::held_lease::{HeldLease, Written};
use super::progress::Opened;
use super::sdk_error::Kind;
use super::stop::{Stop, told};
use super::stream::Stream;
use crate::error::KinesisError;
use crate::lease::{LeaseError, LeaseKey, LeaseState, SHARD_END};
use crate::rules::cursor::Cursor;
use crate::rules::row;
use crate::rules::subscription::{ParentsEnded, Prospect};

/// What came of taking a shard.
pub(super) enum Taken {
    /// It is this instance's to read, from there.
    Opened {
        proof: ParentsEnded,
        lease: HeldLease,
        opened: Opened,
    },
    /// Its row says that it was read to its end.
    Finished,
    /// Another owner holds it.
    HeldElsewhere,
    /// The store or the service failed; it is tried again.
    Failed(KinesisError),
    /// The subscription stops.
    Stopped,
}

/// Takes the shard whose parents ended.
pub(super) async fn shard(
    stream: &Stream,
    mut prospect: Prospect,
    proof: ParentsEnded,
    mut stop: watch::Receiver<Stop>,
) -> Taken {
    let id = Arc::clone(proof.shard());
    let key = LeaseKey::new(&*stream.name, &*id);
    let acquired = HeldLease::acquire(&stream.leases, key, &stream.owner, stream.timings).await;
    let mut lease = match acquired {
        Ok(Some(lease)) => lease,
        Ok(None) => return Taken::HeldElsewhere,
        Err(error) => return Taken::Failed(failed(stream, &id, error)),
    };
    let renew_by = lease.keeping().renew_by();
    let opened = select! {
        opened = open(stream, &mut prospect, &mut lease, &id) => opened,
        () = told(&mut stop, Stop::Drain) => Ok(Start::Nowhere),
        // Nobody renews the lease before there is a reader for it.
        () = sleep_until(renew_by.into()) => Err(KinesisError::read(
            &stream.name,
            &id,
            "the shard was not opened while its lease was certain",
        )),
    };
    match opened {
        Ok(Start::From(opened)) => Taken::Opened {
            proof,
            lease,
            opened,
        },
        Ok(Start::Finished) => released(stream, lease, &id, Taken::Finished).await,
        Ok(Start::Nowhere) => released(stream, lease, &id, Taken::Stopped).await,
        Ok(Start::Fenced) => Taken::HeldElsewhere,
        Err(error) => released(stream, lease, &id, Taken::Failed(error)).await,
    }
}

enum Start {
    From(Opened),
    Finished,
    Fenced,
    Nowhere,
}

async fn open(
    stream: &Stream,
    prospect: &mut Prospect,
    lease: &mut HeldLease,
    id: &str,
) -> Result<Start, KinesisError> {
    let store_failed = |error| failed(stream, id, error);
    let row = if prospect.ignores_row() {
        LeaseState::default()
    } else {
        lease.row().await.map_err(store_failed)?
    };
    let mut stored = row.cursor.as_deref().and_then(row::read);
    if stored.is_none() && row.checkpoint.as_deref() == Some(SHARD_END) {
        if !prospect.open || !still_open(stream, id).await? {
            return Ok(Start::Finished);
        }
        stream.warn_of_stale_end(id);
        stored = Some(Cursor::Horizon);
    }
    let untouched = stored.is_none() && row.checkpoint.is_none();
    if untouched && !prospect.ignores_row() {
        // A child with progress was started when this shard had been read to its end.
        for child in &prospect.children {
            let progress = lease.row_of(child).await.map_err(store_failed)?;
            if progress.checkpoint.is_some() {
                return Ok(Start::Finished);
            }
        }
        for parent in std::mem::take(&mut prospect.unlisted_parents) {
            let end = lease.row_of(&parent).await.map_err(store_failed)?;
            if end.checkpoint.as_deref() == Some(SHARD_END) {
                prospect.parents_were_followed();
            }
        }
    }
    let mut cursor = prospect.opening(stored.as_ref(), row.checkpoint.as_deref());
    loop {
        let made = calls::shard_iterator(stream.clients.home(), &stream.address, id, &cursor).await;
        match made {
            Ok(iterator) => {
                let opened = Opened {
                    cursor,
                    iterator: iterator.token,
                    made_at: iterator.made_at,
                };
                // What the row does not say yet, it must: an owner that stops before its first
                // checkpoint is followed from here.
                if untouched {
                    let kept = lease.keep_cursor(&opened.origin()).await;
                    if kept.map_err(store_failed)? == Written::Fenced {
                        return Ok(Start::Fenced);
                    }
                }
                return Ok(Start::From(opened));
            }
            Err(failure)
                if failure.kind() == Kind::InvalidArgument
                    && matches!(cursor, Cursor::After(_) | Cursor::At(_)) =>
            {
                stream.warn_of_gap(id, &cursor, &failure);
                cursor = Cursor::Horizon;
            }
            Err(failure) => return Err(KinesisError::read(&stream.name, id, failure)),
        }
    }
}

/// Whether the shard is open by a listing made now: the one it was taken from may be older than the
/// mark of its end.
async fn still_open(stream: &Stream, id: &str) -> Result<bool, KinesisError> {
    let listing = calls::list_shards(stream.clients.home(), &stream.address)
        .await
        .map_err(|failure| KinesisError::stream(&stream.name, failure))?;
    Ok(listing.iter().any(|shard| &*shard.id == id && shard.open))
}

async fn released(stream: &Stream, lease: HeldLease, id: &str, taken: Taken) -> Taken {
    if let Err(error) = lease.release().await {
        stream.outlet.report(failed(stream, id, error));
    }
    taken
}

fn failed(stream: &Stream, id: &str, error: LeaseError) -> KinesisError {
    KinesisError::lease(&stream.name, id, error)
}

//! Takes one shard: its lease, its row, its starting cursor.

use std::sync::Arc;

use tokio::select;
use tokio::sync::watch;
use tokio::time::sleep_until;

use super::calls;
use super::held_lease::{HeldLease, Written};
use super::progress::Opened;
use super::stop::{Stop, told};
use super::stream::Stream;
use crate::error::KinesisError;
use crate::lease::{LeaseError, LeaseKey, Opening};
use crate::rules::cursor::Cursor;
use crate::rules::cursor_text;
use crate::rules::prospect::{Evidence, Place, Prospect};
use crate::rules::seen_row::{SeenRow, SeenRows};
use crate::rules::shard_graph::ShardId;
use crate::rules::subscription::ParentsEnded;

/// What came of taking a shard.
pub(super) enum Taken {
    /// It is this instance's to read, from there.
    Opened {
        proof: ParentsEnded,
        lease: HeldLease,
        opened: Opened,
        /// The checkpoint its row holds.
        checkpoint: Option<String>,
    },
    /// Its row says that it was read to its end.
    Finished,
    /// Another owner holds it.
    HeldElsewhere,
    /// Another owner is at what it read of an ancestor that is gone.
    BehindAnother,
    /// The store or the service failed; it is tried again.
    Failed(KinesisError),
    /// The subscription stops.
    Stopped,
}

/// Takes the shard whose parents ended. `rows` holds what was seen of the table, if it was looked
/// at.
pub(super) async fn shard(
    stream: &Stream,
    prospect: Prospect,
    proof: ParentsEnded,
    rows: Arc<SeenRows>,
    mut stop: watch::Receiver<Stop>,
) -> Taken {
    if *stop.borrow() != Stop::No {
        return Taken::Stopped;
    }
    let id = Arc::clone(proof.shard());
    let attempt = Attempt {
        stream,
        prospect,
        rows: &rows,
        id: &id,
    };
    let mut seen = None;
    if let Some(row) = rows.get(&id) {
        let place = select! {
            place = attempt.place(row) => place,
            () = told(&mut stop, Stop::Drain) => return Taken::Stopped,
        };
        match place {
            Ok(Some(place)) => seen = Some((row, place)),
            Ok(None) => return Taken::Finished,
            Err(error) => return Taken::Failed(error),
        }
    }
    match attempt.is_behind_another().await {
        Ok(false) => {}
        Ok(true) => return Taken::BehindAnother,
        Err(error) => return Taken::Failed(error),
    }
    let opening = attempt.opening(seen.as_ref().map(|(_, place)| place));
    let key = LeaseKey::new(&*stream.name, &*id);
    let acquired =
        HeldLease::take(&stream.leases, key, &stream.owner, stream.timings, &opening).await;
    let (mut lease, found) = match acquired {
        Ok(Some(taken)) => taken,
        Ok(None) => return Taken::HeldElsewhere,
        Err(error) => return Taken::Failed(attempt.lease_failed(error)),
    };
    let found = found.seen(stream.created);
    let renew_by = lease.keeping().renew_by();
    // What was seen holds unless the row changed before it was taken.
    let seen = seen
        .filter(|(row, _)| (&row.checkpoint, &row.cursor) == (&found.checkpoint, &found.cursor));
    let opened = select! {
        opened = attempt.open(&mut lease, &found, seen.map(|(_, place)| place)) => opened,
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
            checkpoint: found.checkpoint,
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

struct Attempt<'a> {
    stream: &'a Stream,
    prospect: Prospect,
    rows: &'a SeenRows,
    id: &'a ShardId,
}

impl Attempt<'_> {
    /// Where the shard is to be read from, as `row` has it; nothing where it was read to its end.
    async fn place(&self, row: &SeenRow) -> Result<Option<Place>, KinesisError> {
        if row.stale {
            self.stream.warn_of_stale_row(self.id);
        }
        let mut evidence = Evidence::default();
        if self.prospect.wants_listing(row) {
            evidence.still_open = self.still_open().await?;
        }
        for shard in self.prospect.wants_rows(row) {
            let row = self.row_of(&shard).await?;
            evidence.family.insert(shard, row);
        }
        let place = self.prospect.place(row, &evidence);
        if place.as_ref().is_some_and(|place| place.stale_end) {
            self.stream.warn_of_stale_end(self.id);
        }
        Ok(place)
    }

    /// Whether another instance is still at what it read of an ancestor that is gone.
    async fn is_behind_another(&self) -> Result<bool, KinesisError> {
        for shard in &self.prospect.gone {
            let row = self.row_of(shard).await?;
            if row.is_read_by_another_than(&self.stream.owner) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the row is to be told along with the owner.
    fn opening(&self, place: Option<&Place>) -> Opening {
        let unkept = place.filter(|place| place.unkept);
        Opening {
            cursor: unkept.and_then(|place| cursor_text::write(&self.prospect.kept(&place.cursor))),
            replaces: self.prospect.ignores_row(),
            stream_created: self.stream.created,
        }
    }

    /// Makes the shard's first iterator. `place` is what was seen of its row before it was taken.
    async fn open(
        &self,
        lease: &mut HeldLease,
        found: &SeenRow,
        place: Option<Place>,
    ) -> Result<Start, KinesisError> {
        let kept = place.is_some();
        let place = match place {
            Some(place) => place,
            None => match self.place(found).await? {
                Some(place) => place,
                None => return Ok(Start::Finished),
            },
        };
        let opened = self.iterator(place.cursor).await?;
        // What the row does not say yet, it must: an owner that stops before its first checkpoint is
        // followed from here.
        if place.unkept && !kept {
            let kept = lease.keep_cursor(&opened.origin()).await;
            if kept.map_err(|error| self.lease_failed(error))? == Written::Fenced {
                return Ok(Start::Fenced);
            }
        }
        Ok(Start::From(opened))
    }

    async fn iterator(&self, mut cursor: Cursor) -> Result<Opened, KinesisError> {
        let stream = self.stream;
        loop {
            let made =
                calls::shard_iterator(stream.clients.home(), &stream.address, self.id, &cursor)
                    .await;
            match made {
                Ok(iterator) => {
                    return Ok(Opened {
                        cursor,
                        iterator: iterator.token,
                        made_at: iterator.made_at,
                    });
                }
                Err(failure) => {
                    let Some(instead) = failure.refusal().instead_of(&cursor) else {
                        return Err(KinesisError::read(&stream.name, self.id, failure));
                    };
                    stream.warn_of_gap(self.id, &cursor, &failure);
                    cursor = instead;
                }
            }
        }
    }

    /// The row of another shard of the stream.
    async fn row_of(&self, shard: &ShardId) -> Result<SeenRow, KinesisError> {
        if let Some(row) = self.rows.get(shard) {
            return Ok(row.clone());
        }
        let row = self.stream.row_of(shard).await;
        let row = row.map_err(|error| self.lease_failed(error))?;
        Ok(row.seen(self.stream.created))
    }

    /// Whether the shard is open by a listing made now.
    async fn still_open(&self) -> Result<bool, KinesisError> {
        let stream = self.stream;
        let listing = calls::list_shards(stream.clients.home(), &stream.address)
            .await
            .map_err(|failure| KinesisError::stream(&stream.name, failure))?;
        Ok(listing
            .iter()
            .any(|shard| shard.id == *self.id && shard.open))
    }

    fn lease_failed(&self, error: LeaseError) -> KinesisError {
        KinesisError::lease(&self.stream.name, self.id, error)
    }
}

async fn released(stream: &Stream, lease: HeldLease, id: &str, taken: Taken) -> Taken {
    if let Err(error) = lease.release().await {
        stream
            .outlet
            .report(KinesisError::lease(&stream.name, id, error));
    }
    taken
}

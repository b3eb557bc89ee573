//! Takes one shard: its lease, its row, its starting cursor. Imitates `service::take`.

use std::rc::Rc;
use std::sync::Arc;

use futures::future::Either;
use tokio::select;

use super::host::Host;
use super::kinesis::Listing;
use super::lease::{HeldLease, Written};
use super::stop::{Stop, Stopping, told};
use super::world::Failure;
use super::writes::place_of;
use crate::lease::{ANSWERED_WITHIN, Opening};
use crate::rules::cursor::Cursor;
use crate::rules::cursor_text;
use crate::rules::prospect::{Evidence, Place, Prospect};
use crate::rules::seen_row::{SeenRow, SeenRows};
use crate::rules::shard_graph::ShardId;
use crate::rules::subscription::ParentsEnded;
use crate::service::progress::Opened;

pub(super) enum Taken {
    Opened {
        proof: ParentsEnded,
        lease: HeldLease,
        opened: Opened,
        checkpoint: Option<String>,
    },
    Finished,
    HeldElsewhere,
    /// Another owner is at what it read of an ancestor that is gone.
    BehindAnother,
    Failed,
    Stopped,
}

pub(super) async fn shard(
    host: &Rc<Host>,
    prospect: Prospect,
    proof: ParentsEnded,
    rows: Arc<SeenRows>,
    stop: Stopping,
) -> Taken {
    if stop.stop() != Stop::No {
        return Taken::Stopped;
    }
    let id = Arc::clone(proof.shard());
    let attempt = Attempt {
        host,
        prospect,
        rows: &rows,
        id: &id,
    };
    let mut seen = None;
    if let Some(row) = rows.get(&id) {
        let executor = &host.world.executor;
        let placing = executor.first(attempt.place(row), told(&stop, Stop::Drain));
        let Either::Left(place) = placing.await else {
            return Taken::Stopped;
        };
        match place {
            Ok(Some(place)) => seen = Some((row, place)),
            Ok(None) => return Taken::Finished,
            Err(_) => return Taken::Failed,
        }
    }
    match attempt.is_behind_another().await {
        Ok(false) => {}
        Ok(true) => return Taken::BehindAnother,
        Err(_) => return Taken::Failed,
    }
    let opening = attempt.opening(seen.as_ref().map(|(_, place)| place));
    let tenure = attempt.tell_oracle();
    let acquired = HeldLease::take(host, &id, tenure, opening).await;
    let (mut lease, found) = match acquired {
        Ok(Some(taken)) => taken,
        Ok(None) => return Taken::HeldElsewhere,
        Err(_) => return Taken::Failed,
    };
    let found = found.seen(None);
    let renew_by = lease.keeping().renew_by();
    let seen = seen
        .filter(|(row, _)| (&row.checkpoint, &row.cursor) == (&found.checkpoint, &found.cursor));
    let opened = select! {
        biased;
        opened = attempt.open(&mut lease, &found, seen.map(|(_, place)| place)) => opened,
        () = told(&stop, Stop::Drain) => Ok(Start::Nowhere),
        () = host.sleep_until(renew_by) => Err(Failure::Other),
    };
    match opened {
        Ok(Start::From(opened)) => Taken::Opened {
            proof,
            lease,
            opened,
            checkpoint: found.checkpoint,
        },
        Ok(Start::Finished) => released(lease, Taken::Finished).await,
        Ok(Start::Nowhere) => released(lease, Taken::Stopped).await,
        Ok(Start::Fenced) => Taken::HeldElsewhere,
        Err(_) => released(lease, Taken::Failed).await,
    }
}

enum Start {
    From(Opened),
    Finished,
    Fenced,
    Nowhere,
}

struct Attempt<'a> {
    host: &'a Rc<Host>,
    prospect: Prospect,
    rows: &'a SeenRows,
    id: &'a ShardId,
}

impl Attempt<'_> {
    async fn place(&self, row: &SeenRow) -> Result<Option<Place>, Failure> {
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
            let (id, world) = (self.id, &self.host.world);
            world.broken(|| format!("{id} is open, and its row is thought of another stream"));
        }
        Ok(place)
    }

    async fn is_behind_another(&self) -> Result<bool, Failure> {
        for shard in &self.prospect.gone {
            let row = self.row_of(shard).await?;
            if row.is_read_by_another_than(&self.host.owner) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn opening(&self, place: Option<&Place>) -> Opening {
        let unkept = place.filter(|place| place.unkept);
        let kept = |place: &Place| cursor_text::write(&self.prospect.kept(&place.cursor));
        Opening {
            cursor: unkept.and_then(kept),
            replaces: self.prospect.ignores_row(),
            stream_created: None,
        }
    }

    async fn open(
        &self,
        lease: &mut HeldLease,
        found: &SeenRow,
        place: Option<Place>,
    ) -> Result<Start, Failure> {
        let kept = place.is_some();
        let place = match place {
            Some(place) => place,
            None => match self.place(found).await? {
                Some(place) => place,
                None => return Ok(Start::Finished),
            },
        };
        let opened = self.iterator(place.cursor).await?;
        self.tell_oracle_where(lease.tenure(), &opened, found);
        if place.unkept && !kept && lease.keep_cursor(&opened.origin(), 0).await? == Written::Fenced
        {
            return Ok(Start::Fenced);
        }
        Ok(Start::From(opened))
    }

    async fn iterator(&self, mut cursor: Cursor) -> Result<Opened, Failure> {
        loop {
            match self.host.shard_iterator(self.id, &cursor).await {
                Ok(made) => {
                    return Ok(Opened {
                        cursor,
                        iterator: made.token,
                        made_at: made.made_at,
                    });
                }
                Err(failure) => {
                    let Some(instead) = failure.refusal().instead_of(&cursor) else {
                        return Err(failure);
                    };
                    let world = &self.host.world;
                    world.count(|counts| counts.horizon_restarts += 1);
                    cursor = instead;
                }
            }
        }
    }

    async fn row_of(&self, shard: &ShardId) -> Result<SeenRow, Failure> {
        if let Some(row) = self.rows.get(shard) {
            return Ok(row.clone());
        }
        let read = self.host.store.read(shard);
        let answer = self.host.timeout(ANSWERED_WITHIN, read).await;
        let row = answer.unwrap_or(Err(Failure::Other))?;
        Ok(row.seen(None))
    }

    async fn still_open(&self) -> Result<bool, Failure> {
        let listing = self.host.list_shards(Listing::ToBeSure).await?;
        Ok(listing
            .iter()
            .any(|shard| shard.id == *self.id && shard.open))
    }

    // What the oracle is told.

    fn tell_oracle(&self) -> u64 {
        let world = &self.host.world;
        let shard = world.stream.borrow().index(self.id);
        let skips = self.prospect.ignores_row() || self.prospect.stream_wide.is_some();
        let mut oracle = world.oracle.borrow_mut();
        oracle.asks(self.host.process, shard, skips)
    }

    fn tell_oracle_where(&self, tenure: u64, opened: &Opened, found: &SeenRow) {
        let world = &self.host.world;
        let stream = world.stream.borrow();
        let (shard, place) = stream.place(&opened.iterator);
        let low = place_of(&stream, shard, &opened.origin()).min(place);
        let mut oracle = world.oracle.borrow_mut();
        let ignores = self.prospect.ignores_row();
        if ignores || (found.is_untouched() && self.prospect.stream_wide.is_some()) {
            oracle.skipped(&stream, shard, place);
        }
        let mut epoch = oracle.tenures[&tenure].epoch;
        if ignores {
            epoch = oracle.next_epoch(shard);
        }
        oracle.begins(tenure, 0, epoch, (low, place), world.now());
    }
}

async fn released(lease: HeldLease, taken: Taken) -> Taken {
    // What is not released has to expire.
    let _ = lease.release().await;
    taken
}

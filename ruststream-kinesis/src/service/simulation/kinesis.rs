//! How the service answers calls: now and then in the ways it is known for.

use std::sync::Arc;

use super::executor::{Micros, Process, SECOND};
use super::stream::{Made, Page};
use super::world::{BEGINS, Failure, World};
use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::Listed;

/// What a listing is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// The first of an instance, which has nothing to tell a gap by.
    Opening,
    Again,
    /// To settle a doubt about a listing from before.
    ToBeSure,
}

/// What a listing in the middle of a change leaves out, those of that many milliseconds do not.
const ONE_CHANGE: u64 = 10_000;

impl World {
    /// Serves `ListShards` to `process`: now and then what was true a while ago, and now and then
    /// without a shard, as a listing that was taken in the middle of a change.
    pub(super) fn serve_listing(&self, process: Process, asked: Listing) -> Vec<Listed> {
        let (dice, now) = (&self.executor, self.service_time());
        let mut stream = self.stream.borrow_mut();
        if self.quiet.get() || asked == Listing::ToBeSure {
            return stream.listing(now, None);
        }
        let mut at = now;
        if dice.chance(150) {
            at -= dice.below(4_000);
            self.count(|counts| counts.stale_listings += 1);
        }
        let mut left_out = None;
        if self.scenario.listing_gaps && asked == Listing::Again && dice.chance(200) {
            let any = usize::try_from(dice.below(stream.shards.len() as u64)).expect("small");
            let id = Arc::clone(&stream.shards[any].id);
            // A change does not take longer: a shard that is there is listed again then.
            let last = stream.left_out.entry((process, Arc::clone(&id)));
            let last = last.or_insert(0);
            if *last + ONE_CHANGE <= now {
                *last = now;
                left_out = Some(id);
                self.count(|counts| counts.listings_with_gaps += 1);
            }
        }
        self.tell(|| {
            let ago = now - at;
            format!("process {process} lists what was {ago} ms ago, without {left_out:?}")
        });
        stream.listing(at, left_out.as_ref())
    }

    /// Serves `GetShardIterator`.
    pub(super) fn serve_iterator(&self, shard: &str, cursor: &Cursor) -> Result<Made, Failure> {
        let now = self.service_time();
        self.stream.borrow_mut().iterator(shard, cursor, now)
    }

    /// Serves `GetRecords` to the reader under `tenure`.
    pub(super) fn serve_page(
        &self,
        tenure: u64,
        token: &str,
        most: usize,
        sent: Micros,
    ) -> Result<Page, Failure> {
        let (dice, now) = (&self.executor, self.service_time());
        let (shard, _) = self.stream.borrow().place(token);
        let held = self.oracle.borrow_mut().read(self, tenure, shard, sent);
        self.check(held);
        self.tell(|| format!("tenure {tenure} reads shard number {shard}"));
        let odd = !self.quiet.get();
        if odd && dice.chance(self.scenario.weather * 2) {
            return Err(Failure::Expired);
        }
        let hidden = odd && dice.chance(50);
        let late_end = dice.chance(500);
        let mut stream = self.stream.borrow_mut();
        stream.page(token, most, hidden, late_end, now)
    }

    /// The service's clock in seconds, as the `Date` of an answer has it.
    pub(super) fn serve_date(&self) -> u64 {
        (BEGINS + self.now() / SECOND * 1_000) / 1_000 * 1_000
    }
}

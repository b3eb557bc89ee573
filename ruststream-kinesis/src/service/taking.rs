//! Which shards a subscription takes, and which it gives up for other instances.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt, stream};
use tokio::select;

use super::coordinator::{AT_ONCE, Coordinator, jittered_from_now};
use super::lease_keeper;
use super::live::Live;
use super::shard::Shard;
use super::shard_reader::{End, ShardReader};
use super::sharing::Holdings;
use super::stop::{Stop, told};
use super::take::{self, Taken};
use crate::error::KinesisError;
use crate::rules::shard_graph::ShardId;
use crate::rules::subscription::ParentsEnded;

/// How often leases that others hold, or should take, are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The most rows looked at in that time, so that the period grows with the shards held elsewhere.
const ROWS_AT_ONCE: usize = 100;

impl Coordinator {
    /// Looks again at the leases that are not held here, and takes what is free.
    pub(super) async fn look(&mut self) {
        self.sharing.look_anew();
        if self.rules.elsewhere() == 0 {
            // Nothing is to be seen, which is seen as well.
            let mut stop = self.stop.clone();
            select! {
                () = self.sharing.survey(&[]) => {}
                () = told(&mut stop, Stop::Drain) => return,
            }
        }
        self.take_ready().await;
        self.look_later();
    }

    /// Sets when the leases that are not held here are looked at again.
    pub(super) fn look_later(&mut self) {
        let looks = self.rules.elsewhere().div_ceil(ROWS_AT_ONCE).max(1);
        self.ask_at = jittered_from_now(LOOK_EVERY * u32::try_from(looks).unwrap_or(u32::MAX));
    }

    /// Tells the others that this instance is there, and makes room for those that came.
    pub(super) async fn announce(&mut self) {
        let mut stop = self.stop.clone();
        select! {
            () = self.sharing.announce_again() => {}
            () = told(&mut stop, Stop::Drain) => return,
        }
        self.hand_over_surplus();
    }

    /// Takes every shard that is ready, free and this instance's to take, and those that finished
    /// rows make ready.
    pub(super) async fn take_ready(&mut self) {
        let mut asked = BTreeSet::new();
        let mut stop = self.stop.clone();
        loop {
            let mut ready = self.rules.ready();
            ready.retain(|proof| !asked.contains(proof.shard()));
            if ready.is_empty() || *stop.borrow() != Stop::No {
                break;
            }
            let unseen: Vec<_> = ready
                .iter()
                .map(ParentsEnded::shard)
                .filter(|shard| !self.sharing.has_seen(shard))
                .cloned()
                .collect();
            if !unseen.is_empty() {
                select! {
                    () = self.sharing.survey(&unseen) => {}
                    () = told(&mut stop, Stop::Drain) => break,
                }
            }
            let mut chosen = self.choose(ready);
            if chosen.is_empty() {
                break;
            }
            let reopened = select! {
                reopened = self.reopen_parents(&chosen) => reopened,
                () = told(&mut stop, Stop::Drain) => break,
            };
            // They wait for their parents again.
            chosen.retain(|proof| !reopened.contains(proof.shard()));
            asked.extend(chosen.iter().map(|proof| Arc::clone(proof.shard())));
            let rows = self.sharing.rows();
            let asking: Vec<_> = chosen
                .into_iter()
                .map(|proof| {
                    let id = Arc::clone(proof.shard());
                    let prospect = self.rules.prospect(&id);
                    let (stream, stop) = (Arc::clone(&self.stream), self.stop.clone());
                    let rows = Arc::clone(&rows);
                    async move {
                        let taking = take::shard(&stream, prospect, proof, rows, stop);
                        let taken = AssertUnwindSafe(taking).catch_unwind().await;
                        (id, taken)
                    }
                })
                .collect();
            let mut asking = stream::iter(asking).buffer_unordered(AT_ONCE);
            // Each is read as soon as it is taken: a lease must not wait for its neighbours.
            while let Some((id, taken)) = asking.next().await {
                let taken = taken.unwrap_or_else(|_| {
                    let store = "the lease store panicked while the shard was taken";
                    Taken::Failed(KinesisError::lease(&self.stream.name, &id, store))
                });
                self.taken(&id, taken);
            }
        }
        self.hand_over_surplus();
        self.show();
    }

    /// Looks at the rows of the parents of what is to be taken, and answers the shards that have one
    /// to wait for: another instance may have sought to before its end, and be gone.
    async fn reopen_parents(&mut self, chosen: &[ParentsEnded]) -> BTreeSet<ShardId> {
        let parents_of = |proof: &ParentsEnded| self.rules.finished_parents(proof.shard());
        let families: Vec<_> = chosen
            .iter()
            .map(|proof| (Arc::clone(proof.shard()), parents_of(proof)))
            .collect();
        let parents = families.iter().flat_map(|(_, parents)| parents).cloned();
        let unseen: BTreeSet<_> = parents
            .filter(|parent| !self.sharing.has_seen(parent))
            .collect();
        if !unseen.is_empty() {
            let unseen: Vec<_> = unseen.into_iter().collect();
            self.sharing.survey(&unseen).await;
        }
        let mut waiting = BTreeSet::new();
        for (child, parents) in families {
            for parent in parents {
                if self.sharing.is_unfinished(&parent) {
                    self.rules.reopened(&parent);
                    waiting.insert(Arc::clone(&child));
                }
            }
        }
        waiting
    }

    /// Those of the `ready` shards that are to be asked for.
    fn choose(&mut self, ready: Vec<ParentsEnded>) -> Vec<ParentsEnded> {
        let (mut chosen, mut free) = (Vec::new(), Vec::new());
        for proof in ready {
            let id = proof.shard();
            if self.sharing.is_held_elsewhere(id) {
                self.held_elsewhere(&Arc::clone(id));
            } else if self.parked.contains_key(id)
                || self.sharing.is_over(id) && !self.rules.ignores_row(id)
            {
                chosen.push(proof);
            } else if self.sharing.is_held_here(id) {
                // A release that failed leaves its lease to expire, for whom it was meant.
                if self.sharing.was_given(id) {
                    self.rules.left_to_others(id);
                } else {
                    chosen.push(proof);
                }
            } else {
                free.push(proof);
            }
        }
        let holdings = self.holdings();
        let ids: Vec<_> = free.iter().map(|proof| Arc::clone(proof.shard())).collect();
        // The children of what was read to its end here go on here, whoever's share they are: nobody
        // else knows of them yet. So does what parked shards wait for.
        let parked: Vec<_> = self.parked.keys().cloned().collect();
        let heirs = ids.iter().filter(|id| {
            self.rules.inherits(id) && self.sharing.is_untouched(id)
                || self.rules.is_ancestor_of_any(id, &parked)
        });
        let heirs = heirs.take(self.sharing.room(holdings)).cloned().collect();
        let mine: BTreeSet<_> = self
            .sharing
            .choose(ids, heirs, holdings)
            .into_iter()
            .collect();
        for proof in free {
            if mine.contains(proof.shard()) {
                chosen.push(proof);
            } else {
                self.rules.left_to_others(proof.shard());
            }
        }
        chosen
    }

    /// Another owner holds `shard`.
    fn held_elsewhere(&mut self, shard: &ShardId) {
        self.unpark(shard);
        self.sharing.no_longer_free(shard);
        self.rules.held_elsewhere(shard);
    }

    /// The lease that was kept for `shard` is gone, or not needed.
    fn unpark(&mut self, shard: &ShardId) {
        if let Some(parked) = self.parked.remove(shard) {
            parked.give_up(false);
        }
    }

    fn holdings(&self) -> Holdings {
        let leaving = self.live.values().filter(|live| live.leaving).count();
        Holdings {
            kept: self.live.len() - leaving,
            leaving,
            parked: self
                .parked
                .values()
                .filter(|shard| !shard.is_given_up())
                .count(),
        }
    }

    /// Begins to hand over what other instances lack of their shares. A shard whose checkpoint has waited
    /// longest goes last: its next owner reads again everything since.
    fn hand_over_surplus(&mut self) {
        let surplus = self.sharing.surplus(self.rules.left(), self.holdings());
        if surplus == 0 {
            return;
        }
        let waiting: Vec<_> = self.parked.keys().cloned().collect();
        let mut kept: Vec<_> = self
            .live
            .values_mut()
            .filter(|live| !live.leaving)
            // What others wait for is read here, where their leases are.
            .filter(|live| !self.rules.is_ancestor_of_any(live.shard.id(), &waiting))
            .collect();
        kept.sort_by_key(|live| live.shard.observe());
        for live in kept.into_iter().take(surplus) {
            live.leaving = true;
            live.shard.stop();
            tracing::info!(
                target: "ruststream::kinesis",
                subscription = &*self.stream.name,
                shard = &**live.shard.id(),
                owner = &*self.stream.owner,
                "shard given up for another instance",
            );
        }
    }

    /// `shard` was handed back for another instance.
    pub(super) fn handed_over(&mut self, shard: &ShardId) {
        self.rules.handed_over(shard);
        self.sharing.gave(shard);
        self.show();
    }

    fn taken(&mut self, id: &ShardId, taken: Taken) {
        match taken {
            Taken::Opened {
                proof,
                lease,
                opened,
                checkpoint,
            } => {
                let repositioned = self.rules.ignores_row(id);
                self.rules.reading(id, &opened.cursor);
                let origin = opened.origin();
                tracing::info!(
                    target: "ruststream::kinesis",
                    subscription = &*self.stream.name,
                    shard = &**id,
                    owner = &*self.stream.owner,
                    from = ?origin,
                    repositioned,
                    "shard taken",
                );
                let keeping = lease.keeping();
                if let Some(parked) = self.parked.remove(id) {
                    // The lease taken just now goes on from the one that was kept.
                    parked.give_up(false);
                }
                let shard = Arc::new(Shard::new(
                    Arc::clone(proof.shard()),
                    self.seek.clone(),
                    self.stream.checkpoint_interval,
                    lease,
                    Arc::clone(&self.stream.counts),
                ));
                shard.found(checkpoint);
                tokio::spawn(lease_keeper::keep(
                    Arc::clone(&shard),
                    keeping,
                    self.stream.outlet.clone(),
                ));
                let reader = ShardReader::new(Arc::clone(&self.stream), Arc::clone(&shard), opened);
                self.readers.spawn({
                    let shard = Arc::clone(&shard);
                    let reading = AssertUnwindSafe(reader.run()).catch_unwind();
                    async move { (shard, reading.await.unwrap_or(End::Panicked)) }
                });
                self.sharing.took(id);
                self.live.insert(
                    Arc::clone(id),
                    Live {
                        shard,
                        origin,
                        repositioned,
                        leaving: false,
                    },
                );
            }
            Taken::Finished => {
                self.unpark(id);
                // The row that was seen said otherwise, and would have the shard read again.
                self.sharing.forget(id);
                self.sharing.no_longer_free(id);
                self.rules.finished(id, false);
                // Its children may not be listed here yet.
                self.list_soon();
            }
            Taken::HeldElsewhere => self.held_elsewhere(id),
            Taken::Failed(error) => {
                self.rules.failed(id);
                self.stream.outlet.report(error);
            }
            Taken::Stopped => {}
        }
    }
}

//! Which shards a subscription takes, and which it gives up for other instances.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt, stream};
use tokio::select;

use super::coordinator::{AT_ONCE, Coordinator, jittered_from_now};
use super::lease_keeper;
use super::live::{Live, surrender};
use super::shard::Shard;
use super::shard_reader::{End, ShardReader};
use super::stop::{Stop, told};
use super::take::{self, Taken};
use crate::clock;
use crate::error::KinesisError;
use crate::rules::shard_graph::ShardId;
use crate::rules::sharing::Holdings;
use crate::rules::subscription::ParentsEnded;

/// How often leases that others hold, or should take, are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The most rows looked at in that time, so that the period grows with the shards held elsewhere.
const ROWS_AT_ONCE: usize = 100;

impl Coordinator {
    /// Looks again at the leases that are not held here, and takes what is free.
    pub(super) async fn look(&mut self) {
        self.sharing.rules.look_anew();
        // Where nothing is to be seen, that is seen as well.
        if self.rules.elsewhere() == 0 && !self.survey(&[]).await {
            return;
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
        let stop = self.stop.clone();
        loop {
            let mut ready = self.rules.ready();
            ready.retain(|proof| !asked.contains(proof.shard()));
            if ready.is_empty() || *stop.borrow() != Stop::No {
                break;
            }
            let unseen = ready.iter().map(ParentsEnded::shard);
            let unseen = self.sharing.rules.unseen(unseen);
            if !self.see(&unseen).await {
                break;
            }
            let chosen = self.choose(ready);
            if chosen.is_empty() {
                break;
            }
            let unseen = self.sharing.rules.unseen_parents(&self.rules, &chosen);
            if !self.see(&unseen).await {
                break;
            }
            asked.extend(chosen.iter().map(|proof| Arc::clone(proof.shard())));
            let chosen = self.sharing.rules.unless_replayed(&mut self.rules, chosen);
            let rows = self.sharing.rules.rows();
            let asking: Vec<_> = chosen
                .into_iter()
                .map(|proof| {
                    let id = Arc::clone(proof.shard());
                    let prospect = self.rules.prospect(&id);
                    let (stream, stop) = (Arc::clone(&self.stream), self.stop.clone());
                    let rows = Arc::clone(&rows);
                    let parked = self.parked.get(&id).map(Arc::clone);
                    async move {
                        if let Some(parked) = parked.filter(|_| *stop.borrow() == Stop::No) {
                            surrender(&parked).await;
                        }
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

    /// Looks at the rows of `shards`, if there are any; `false` where the subscription is told to
    /// stop.
    async fn see(&mut self, shards: &[ShardId]) -> bool {
        shards.is_empty() || self.survey(shards).await
    }

    async fn survey(&mut self, shards: &[ShardId]) -> bool {
        let mut stop = self.stop.clone();
        select! {
            () = self.sharing.survey(shards) => true,
            () = told(&mut stop, Stop::Drain) => false,
        }
    }

    /// Those of the `ready` shards that are to be asked for.
    fn choose(&mut self, ready: Vec<ParentsEnded>) -> Vec<ParentsEnded> {
        let (holdings, now) = (self.holdings(), clock::now());
        let sharing = &mut self.sharing.rules;
        let choice = sharing.choose(&mut self.rules, ready, &holdings, now);
        for shard in &choice.elsewhere {
            self.unpark(shard);
        }
        choice.asked
    }

    /// Another owner holds `shard`.
    fn held_elsewhere(&mut self, shard: &ShardId) {
        self.unpark(shard);
        self.sharing.rules.no_longer_free(shard);
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
            waiting: self.parked.keys().cloned().collect(),
        }
    }

    /// Begins to hand over what other instances lack of their shares.
    fn hand_over_surplus(&mut self) {
        let (holdings, now) = (self.holdings(), clock::now());
        let kept = || {
            // Whoever gets a shard that is gone cannot read again what was fetched of it here.
            let keeps = |live: &Live| !live.leaving && !live.shard.is_unlisted();
            let kept = self.live.iter().filter(|(_, live)| keeps(live));
            kept.map(|(id, live)| (live.shard.observe(), Arc::clone(id)))
                .collect()
        };
        let sharing = &mut self.sharing.rules;
        for id in sharing.hand_over(&self.rules, &holdings, kept, now) {
            let Some(live) = self.live.get_mut(&id) else {
                continue;
            };
            live.leaving = true;
            live.shard.stop();
            tracing::info!(
                target: "ruststream::kinesis",
                subscription = &*self.stream.name,
                shard = &*id,
                owner = &*self.stream.owner,
                "shard given up for another instance",
            );
        }
    }

    /// Tells the readers whether their shards are listed, and keeps no lease for one that is not.
    pub(super) fn told_of_listing(&mut self) {
        for (id, live) in &self.live {
            live.shard.listed(self.rules.is_unlisted(id));
        }
        let mut parked: Vec<_> = self.parked.keys().cloned().collect();
        parked.retain(|id| self.rules.is_unlisted(id));
        for id in parked {
            self.unpark(&id);
        }
    }

    /// `shard` was handed back for another instance.
    pub(super) fn handed_over(&mut self, shard: &ShardId) {
        self.rules.handed_over(shard);
        self.sharing.rules.gave(shard, clock::now());
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
                // The lease taken just now goes on from the one that was kept.
                self.parked.remove(id);
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
                self.sharing.rules.took(id);
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
                self.sharing.rules.forget(id);
                self.sharing.rules.no_longer_free(id);
                self.rules.finished(id, false);
                // Its children may not be listed here yet.
                self.list_soon();
            }
            Taken::HeldElsewhere => self.held_elsewhere(id),
            Taken::BehindAnother => self.rules.behind_another(id),
            Taken::Failed(error) => {
                self.rules.failed(id);
                self.stream.outlet.report(error);
            }
            Taken::Stopped => {}
        }
    }
}

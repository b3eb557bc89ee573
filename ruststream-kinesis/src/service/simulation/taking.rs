//! Which shards a subscription takes, and which it gives up for other instances. Imitates
//! `service::taking`.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use tokio::select;

use super::coordinator::{AT_ONCE, Coordinator, Live, surrender};
use super::lease;
use super::reader::ShardReader;
use super::shard::Shard;
use super::stop::{Stop, told};
use super::take::{self, Taken};
use crate::rules::shard_graph::ShardId;
use crate::rules::sharing::Holdings;
use crate::rules::subscription::ParentsEnded;

const LOOK_EVERY: Duration = Duration::from_secs(1);
const ROWS_AT_ONCE: usize = 100;

impl Coordinator {
    pub(super) async fn look(&mut self) {
        self.sharing.rules.look_anew();
        if self.rules.elsewhere() == 0 {
            let stop = self.stop.clone();
            select! {
                biased;
                () = self.sharing.survey(&[]) => {}
                () = told(&stop, Stop::Drain) => return,
            }
        }
        self.take_ready().await;
        self.look_later();
    }

    pub(super) fn look_later(&mut self) {
        let looks = self.rules.elsewhere().div_ceil(ROWS_AT_ONCE).max(1);
        let looks = u32::try_from(looks).unwrap_or(u32::MAX);
        self.ask_at = self.jittered_from_now(LOOK_EVERY * looks);
    }

    pub(super) async fn announce(&mut self) {
        let stop = self.stop.clone();
        select! {
            biased;
            () = self.sharing.announce_again() => {}
            () = told(&stop, Stop::Drain) => return,
        }
        self.hand_over_surplus();
    }

    pub(super) async fn take_ready(&mut self) {
        let mut asked = BTreeSet::new();
        let stop = self.stop.clone();
        loop {
            let mut ready = self.rules.ready();
            ready.retain(|proof| !asked.contains(proof.shard()));
            if ready.is_empty() || stop.stop() != Stop::No {
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
                    let (host, stop) = (Rc::clone(&self.host), self.stop.clone());
                    let rows = Arc::clone(&rows);
                    let parked = self.parked.get(&id).map(Rc::clone);
                    async move {
                        if let Some(parked) = parked.filter(|_| stop.stop() == Stop::No) {
                            surrender(&parked).await;
                        }
                        let taken = take::shard(&host, prospect, proof, rows, stop).await;
                        (id, taken)
                    }
                })
                .collect();
            let mut asking = stream::iter(asking).buffer_unordered(AT_ONCE);
            while let Some((id, taken)) = asking.next().await {
                self.taken(&id, taken);
            }
        }
        self.hand_over_surplus();
        self.show();
    }

    async fn see(&mut self, shards: &[ShardId]) -> bool {
        shards.is_empty() || self.survey(shards).await
    }

    async fn survey(&mut self, shards: &[ShardId]) -> bool {
        let stop = self.stop.clone();
        select! {
            biased;
            () = self.sharing.survey(shards) => true,
            () = told(&stop, Stop::Drain) => false,
        }
    }

    fn choose(&mut self, ready: Vec<ParentsEnded>) -> Vec<ParentsEnded> {
        let (holdings, now) = (self.holdings(), self.host.now());
        let sharing = &mut self.sharing.rules;
        let choice = sharing.choose(&mut self.rules, ready, &holdings, now);
        for shard in &choice.elsewhere {
            self.unpark(shard);
        }
        if !choice.asked.is_empty() {
            self.host
                .tell(|| format!("asks for {:?} with {holdings:?}", choice.asked));
        }
        choice.asked
    }

    fn held_elsewhere(&mut self, shard: &ShardId) {
        self.unpark(shard);
        self.sharing.rules.no_longer_free(shard);
        self.rules.held_elsewhere(shard);
    }

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

    fn hand_over_surplus(&mut self) {
        let (holdings, now) = (self.holdings(), self.host.now());
        let kept = || {
            // Whoever gets a shard that is gone cannot read again what was fetched of it here.
            let keeps = |live: &Live| !live.leaving && !live.shard.is_unlisted();
            let kept = self.live.iter().filter(|(_, live)| keeps(live));
            kept.map(|(id, live)| (live.shard.observe(), Arc::clone(id)))
                .collect()
        };
        let sharing = &mut self.sharing.rules;
        for id in sharing.hand_over(&self.rules, &holdings, kept, now) {
            self.host.tell(|| format!("{id} leaves"));
            let Some(live) = self.live.get_mut(&id) else {
                continue;
            };
            live.leaving = true;
            live.shard.stop();
        }
    }

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

    pub(super) fn handed_over(&mut self, shard: &ShardId) {
        self.host.tell(|| format!("{shard} handed over"));
        self.host.world.count(|counts| counts.handed_over += 1);
        self.rules.handed_over(shard);
        self.sharing.rules.gave(shard, self.host.now());
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
                self.host.tell(|| format!("{id} taken from {origin:?}"));
                let world = &self.host.world;
                let number = world.stream.borrow().index(id);
                // From here on whoever reads the shard next is to follow.
                world.oracle.borrow_mut().covered.insert(number);
                let keeping = lease.keeping();
                self.parked.remove(id);
                let shard = Shard::new(&self.host, Arc::clone(proof.shard()), lease);
                let shard = Rc::new(shard);
                shard.progress().found(checkpoint);
                self.host.spawn(lease::keep(Rc::clone(&shard), keeping));
                let reader = ShardReader::new(&shard, opened);
                self.readers.spawn(Rc::clone(&shard), reader.run());
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
                // The row that was seen said otherwise.
                self.sharing.rules.forget(id);
                self.sharing.rules.no_longer_free(id);
                self.rules.finished(id, false);
                self.list_soon();
            }
            Taken::HeldElsewhere => self.held_elsewhere(id),
            Taken::BehindAnother => self.rules.behind_another(id),
            Taken::Failed => self.rules.failed(id),
            Taken::Stopped => {}
        }
    }
}

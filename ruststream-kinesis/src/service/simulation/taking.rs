//! Which shards a subscription takes, and which it gives up for other instances. Imitates
//! `service::taking`.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use tokio::select;

use super::coordinator::{AT_ONCE, Coordinator, Live};
use super::lease;
use super::reader::ShardReader;
use super::shard::Shard;
use super::sharing::Holdings;
use super::stop::{Stop, told};
use super::take::{self, Taken};
use crate::rules::shard_graph::ShardId;
use crate::rules::subscription::ParentsEnded;

const LOOK_EVERY: Duration = Duration::from_secs(1);
const ROWS_AT_ONCE: usize = 100;

impl Coordinator {
    pub(super) async fn look(&mut self) {
        self.sharing.look_anew();
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
            let unseen: Vec<_> = ready
                .iter()
                .map(ParentsEnded::shard)
                .filter(|shard| !self.sharing.has_seen(shard))
                .cloned()
                .collect();
            if !unseen.is_empty() {
                select! {
                    biased;
                    () = self.sharing.survey(&unseen) => {}
                    () = told(&stop, Stop::Drain) => break,
                }
            }
            let mut chosen = self.choose(ready);
            if chosen.is_empty() {
                break;
            }
            let reopened = select! {
                biased;
                reopened = self.reopen_parents(&chosen) => reopened,
                () = told(&stop, Stop::Drain) => break,
            };
            chosen.retain(|proof| !reopened.contains(proof.shard()));
            asked.extend(chosen.iter().map(|proof| Arc::clone(proof.shard())));
            let rows = self.sharing.rows();
            let asking: Vec<_> = chosen
                .into_iter()
                .map(|proof| {
                    let id = Arc::clone(proof.shard());
                    let prospect = self.rules.prospect(&id);
                    let (host, stop) = (Rc::clone(&self.host), self.stop.clone());
                    let rows = Rc::clone(&rows);
                    async move {
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
                    self.host
                        .tell(|| format!("{child} waits for {parent}, which is read again"));
                    self.rules.reopened(&parent);
                    waiting.insert(Arc::clone(&child));
                }
            }
        }
        waiting
    }

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

    fn held_elsewhere(&mut self, shard: &ShardId) {
        self.unpark(shard);
        self.sharing.no_longer_free(shard);
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
        }
    }

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
            .filter(|live| !self.rules.is_ancestor_of_any(&live.shard.id, &waiting))
            .collect();
        kept.sort_by_key(|live| live.shard.observe());
        for live in kept.into_iter().take(surplus) {
            live.leaving = true;
            live.shard.stop();
        }
    }

    pub(super) fn handed_over(&mut self, shard: &ShardId) {
        self.host.world.count(|counts| counts.handed_over += 1);
        self.host.tell(|| format!("{shard} handed over"));
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
                self.host.tell(|| format!("{id} taken from {origin:?}"));
                let world = &self.host.world;
                let number = world.stream.borrow().index(id);
                // From here on whoever reads the shard next is to follow.
                world.oracle.borrow_mut().covered.insert(number);
                let keeping = lease.keeping();
                if let Some(parked) = self.parked.remove(id) {
                    parked.give_up(false);
                }
                let shard = Shard::new(&self.host, Arc::clone(proof.shard()), lease);
                let shard = Rc::new(shard);
                shard.progress().found(checkpoint);
                self.host.spawn(lease::keep(Rc::clone(&shard), keeping));
                let reader = ShardReader::new(&shard, opened);
                self.readers.spawn(Rc::clone(&shard), reader.run());
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
                // The row that was seen said otherwise.
                self.sharing.forget(id);
                self.sharing.no_longer_free(id);
                self.rules.finished(id, false);
                self.list_soon();
            }
            Taken::HeldElsewhere => self.held_elsewhere(id),
            Taken::Failed => self.rules.failed(id),
            Taken::Stopped => {}
        }
    }
}

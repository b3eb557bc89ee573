//! What an instance knows of the others. Imitates `service::sharing`.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::host::Host;
use super::lease::STORE_TIMEOUT;
use super::take::Rows;
use super::world::Failure;
use crate::lease::{LeaseState, LeaseTimings, Member, SHARD_END};
use crate::rules::backoff;
use crate::rules::balance::{Balance, Scene, Sharer};
use crate::rules::shard_graph::ShardId;

const DEPART_WITHIN: Duration = Duration::from_secs(1);

pub(super) struct Sharing {
    host: Rc<Host>,
    balance: Balance,
    members: Vec<Member>,
    rows: Rc<Rows>,
    pub(super) announce_at: Instant,
    blind: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Holdings {
    pub(super) kept: usize,
    pub(super) leaving: usize,
    pub(super) parked: usize,
}

impl Sharing {
    pub(super) fn new(host: &Rc<Host>) -> Self {
        Self {
            balance: Balance::new(&host.owner, host.world.scenario.max_leases),
            members: Vec::new(),
            rows: Rc::default(),
            announce_at: host.now(),
            blind: false,
            host: Rc::clone(host),
        }
    }

    pub(super) fn rows(&self) -> Rc<Rows> {
        Rc::clone(&self.rows)
    }

    pub(super) async fn announce(&mut self, within: Duration) {
        let host = &self.host;
        let LeaseTimings {
            lease_ttl,
            renew_every,
        } = host.world.scenario.timings;
        let most = Some(host.world.scenario.max_leases).filter(|most| *most < usize::MAX);
        let ttl = lease_ttl.saturating_sub(renew_every);
        let asked = host.now();
        let call = host.store.announce(Member::new(&*host.owner, most), ttl);
        let announced = host.timeout(within, call).await;
        self.announce_at = asked + backoff::jittered(renew_every, 0.2, host.random());
        if let Some(Ok(members)) = announced {
            self.members = members;
        }
    }

    pub(super) async fn announce_again(&mut self) {
        let ttl = self.host.world.scenario.timings.lease_ttl;
        self.announce(ttl / 4).await;
    }

    pub(super) fn look_anew(&mut self) {
        self.rows = Rc::default();
    }

    pub(super) fn forget(&mut self, shard: &str) {
        Rc::make_mut(&mut self.rows).remove(shard);
    }

    pub(super) fn has_seen(&self, shard: &str) -> bool {
        self.rows.contains_key(shard)
    }

    pub(super) async fn survey(&mut self, shards: &[ShardId]) {
        let call = self.host.store.survey(shards);
        let surveyed = self.host.timeout(STORE_TIMEOUT, call).await;
        let surveyed = surveyed.unwrap_or(Err(Failure::Other));
        self.blind = surveyed.is_err();
        if let Ok(survey) = surveyed {
            Rc::make_mut(&mut self.rows).extend(shards.iter().cloned().zip(survey.states));
            self.members = survey.members;
        }
    }

    pub(super) async fn depart(&self) {
        let depart = self.host.store.depart();
        // The others find out by themselves, if later.
        let _ = self.host.timeout(DEPART_WITHIN, depart).await;
    }

    pub(super) const fn is_blind(&self) -> bool {
        self.blind
    }

    pub(super) fn is_unfinished(&self, shard: &str) -> bool {
        let row = self.rows.get(shard);
        row.is_some_and(|row| !row.is_untouched()) && !self.is_over(shard)
    }

    pub(super) fn is_untouched(&self, shard: &str) -> bool {
        self.rows.get(shard).is_none_or(LeaseState::is_untouched)
    }

    pub(super) fn is_held_elsewhere(&self, shard: &str) -> bool {
        self.owner(shard)
            .is_some_and(|owner| owner != &*self.host.owner)
    }

    pub(super) fn is_held_here(&self, shard: &str) -> bool {
        self.owner(shard) == Some(&*self.host.owner)
    }

    pub(super) fn is_over(&self, shard: &str) -> bool {
        self.rows
            .get(shard)
            .is_some_and(|row| row.cursor.is_none() && row.checkpoint.as_deref() == Some(SHARD_END))
    }

    pub(super) fn was_given(&self, shard: &str) -> bool {
        self.balance.was_given(shard)
    }

    pub(super) fn room(&self, holding: Holdings) -> usize {
        let held = holding.kept + holding.leaving;
        self.host.world.scenario.max_leases.saturating_sub(held)
    }

    fn owner(&self, shard: &str) -> Option<&str> {
        self.rows.get(shard)?.owner.as_deref()
    }

    pub(super) fn choose(
        &mut self,
        free: Vec<ShardId>,
        heirs: Vec<ShardId>,
        mut holding: Holdings,
    ) -> Vec<ShardId> {
        holding.kept += heirs.len();
        let free = free.into_iter().filter(|id| !heirs.contains(id)).collect();
        let scene = self.scene(free, holding);
        let mut chosen = self.balance.take(&scene, self.host.now());
        chosen.extend(heirs);
        if !chosen.is_empty() {
            self.host
                .tell(|| format!("asks for {chosen:?} of {scene:?}"));
        }
        chosen
    }

    pub(super) fn surplus(&mut self, free: Vec<ShardId>, holding: Holdings) -> usize {
        let scene = self.scene(free, holding);
        let surplus = self.balance.surplus(&scene, self.host.now());
        if surplus > 0 {
            self.host
                .tell(|| format!("gives up {surplus} of {scene:?}"));
        }
        surplus
    }

    pub(super) fn gave(&mut self, shard: &ShardId) {
        self.balance.gave(shard, self.host.now());
    }

    pub(super) fn no_longer_free(&mut self, shard: &str) {
        self.balance.no_longer_free(shard);
    }

    pub(super) fn took(&mut self, shard: &str) {
        self.balance.took(shard);
    }

    fn scene(&self, free: Vec<ShardId>, holding: Holdings) -> Scene {
        let mut held = BTreeMap::new();
        let owners = self.rows.values().filter_map(|row| row.owner.as_ref());
        for owner in owners.filter(|owner| **owner != *self.host.owner) {
            *held.entry(owner.clone()).or_default() += 1;
        }
        Scene {
            sharers: self
                .members
                .iter()
                .filter(|_| !self.blind)
                .map(|member| Sharer {
                    owner: member.owner.clone(),
                    most: member.max_leases.unwrap_or(usize::MAX),
                })
                .collect(),
            held,
            kept: holding.kept,
            parked: holding.parked,
            leaving: holding.leaving,
            free,
        }
    }
}

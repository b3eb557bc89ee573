//! What an instance knows of the others. Imitates `service::sharing`.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::host::Host;
use super::world::Failure;
use crate::lease::{ANSWERED_WITHIN, LeaseTimings, Member};
use crate::rules::backoff;
use crate::rules::balance::Sharer;
use crate::rules::shard_graph::ShardId;
use crate::rules::sharing;

const DEPART_WITHIN: Duration = Duration::from_secs(1);

pub(super) struct Sharing {
    host: Rc<Host>,
    pub(super) rules: sharing::Sharing,
    pub(super) announce_at: Instant,
}

impl Sharing {
    pub(super) fn new(host: &Rc<Host>) -> Self {
        Self {
            rules: sharing::Sharing::new(&host.owner, host.world.scenario.max_leases),
            announce_at: host.now(),
            host: Rc::clone(host),
        }
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
            self.rules.met(sharers(members));
        }
    }

    pub(super) async fn announce_again(&mut self) {
        let ttl = self.host.world.scenario.timings.lease_ttl;
        self.announce(ttl / 4).await;
    }

    pub(super) async fn survey(&mut self, shards: &[ShardId]) {
        let call = self.host.store.survey(shards);
        let surveyed = self.host.timeout(ANSWERED_WITHIN, call).await;
        match surveyed.unwrap_or(Err(Failure::Other)) {
            Ok(survey) => {
                let rows = survey.states.into_iter().map(|state| state.seen(None));
                self.rules.saw(shards.iter().cloned().zip(rows));
                self.rules.met(sharers(survey.members));
            }
            Err(_) => self.rules.saw_nothing(),
        }
    }

    pub(super) async fn depart(&self) {
        let depart = self.host.store.depart();
        // The others find out by themselves, if later.
        let _ = self.host.timeout(DEPART_WITHIN, depart).await;
    }
}

fn sharers(members: Vec<Member>) -> Vec<Sharer> {
    let sharers = members.into_iter().map(|member| Sharer {
        owner: member.owner,
        most: member.max_leases.unwrap_or(usize::MAX),
    });
    sharers.collect()
}

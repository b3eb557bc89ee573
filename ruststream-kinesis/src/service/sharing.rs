//! Sharing the stream with other instances: who is there, who holds what, whose turn it is.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::held_lease::{STORE_TIMEOUT, answered};
use super::stream::Stream;
use super::take::Rows;
use crate::clock;
use crate::lease::{LeaseError, LeaseKey, LeaseState, LeaseTimings, Member, SHARD_END, Survey};
use crate::rules::backoff;
use crate::rules::balance::{Balance, Scene, Sharer};
use crate::rules::shard_graph::ShardId;

/// How long telling the others that this instance goes may hold up its leases' release.
const DEPART_WITHIN: Duration = Duration::from_secs(1);

/// What this instance knows of the others.
pub(super) struct Sharing {
    stream: Arc<Stream>,
    balance: Balance,
    members: Vec<Member>,
    /// The rows of the shards that are not read here, as last seen.
    rows: Arc<Rows>,
    /// When this instance is to tell the others again that it is there.
    pub(super) announce_at: Instant,
    failing: bool,
    /// Whether the rows could not be seen when they were last looked at.
    blind: bool,
}

impl Sharing {
    pub(super) fn new(stream: Arc<Stream>) -> Self {
        Self {
            balance: Balance::new(&stream.owner, stream.max_leases),
            members: Vec::new(),
            rows: Arc::default(),
            announce_at: clock::now(),
            failing: false,
            blind: false,
            stream,
        }
    }

    /// What was last seen of the table; nothing of a store that shows none.
    pub(super) fn rows(&self) -> Arc<Rows> {
        Arc::clone(&self.rows)
    }

    /// Who else reads the stream, as far as the store tells.
    pub(super) fn members(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| &*member.owner)
    }

    /// Tells the others that this instance reads the stream, and learns of them, within that time.
    pub(super) async fn announce(&mut self, within: Duration) {
        let stream = &self.stream;
        let LeaseTimings {
            lease_ttl,
            renew_every,
        } = stream.timings;
        let most = Some(stream.max_leases).filter(|most| *most < usize::MAX);
        let me = Member::new(&*stream.owner, most);
        // It ends before the leases do: what an instance held that is gone is nobody's share then.
        let ttl = lease_ttl.saturating_sub(renew_every);
        let asked = clock::now();
        let announcing = seen(|| stream.leases.announce(&stream.name, &me, ttl), within);
        let noted = announcing.await.map(|members| self.members = members);
        self.announce_at = asked + backoff::jittered(renew_every, 0.2, fastrand::u64(..));
        self.note(noted);
    }

    /// As often as it is due, and so that there is time for another before this instance is taken
    /// for gone.
    pub(super) async fn announce_again(&mut self) {
        self.announce(self.stream.timings.lease_ttl / 4).await;
    }

    /// Forgets what was seen of the table.
    pub(super) fn look_anew(&mut self) {
        self.rows = Arc::default();
    }

    /// Forgets what was seen of `shard`.
    pub(super) fn forget(&mut self, shard: &str) {
        Arc::make_mut(&mut self.rows).remove(shard);
    }

    /// Whether the row of `shard` was seen since the last look.
    pub(super) fn has_seen(&self, shard: &str) -> bool {
        self.rows.contains_key(shard)
    }

    /// Whether no row that was looked at says anything: the table knows nothing of the stream.
    pub(super) fn sees_no_row(&self) -> bool {
        self.rows.values().all(LeaseState::is_untouched)
    }

    /// Looks at the rows of `shards`, and at who is there.
    pub(super) async fn survey(&mut self, shards: &[ShardId]) {
        let stream = &self.stream;
        let shards_named: Vec<&str> = shards.iter().map(|shard| &**shard).collect();
        let surveying = seen(
            || stream.leases.survey(&stream.name, &shards_named),
            STORE_TIMEOUT,
        );
        let surveyed = surveying.await;
        self.blind = surveyed.is_err();
        // What cannot be seen now is asked for as if the store showed nothing.
        let noted = surveyed.and_then(|survey| {
            let Some(Survey { states, members }) = survey else {
                return Ok(());
            };
            if states.len() != shards.len() {
                let (asked, answered) = (shards.len(), states.len());
                return Err(format!("a survey of {asked} shards answers {answered}").into());
            }
            Arc::make_mut(&mut self.rows).extend(shards.iter().cloned().zip(states));
            self.members = members;
            Ok(())
        });
        self.note(noted);
    }

    /// Warns where another spelling of the stream's name has a row of `shard` of this very stream:
    /// instances that spell it differently do not see each other's leases, nor checkpoints.
    pub(super) async fn look_for_another_spelling(&self, shard: &str) {
        let stream = &self.stream;
        let other = LeaseKey::new(&*stream.other_spelling, shard);
        // What cannot be seen is not warned about.
        let Ok(row) = seen(|| stream.leases.read(&other), STORE_TIMEOUT).await else {
            return;
        };
        if stream.created.is_some() && row.stream_created == stream.created {
            tracing::warn!(
                target: "ruststream::kinesis",
                subscription = &*stream.name,
                other = other.stream(),
                "the lease store has rows of this stream under another spelling: all instances of a \
                 service name a stream alike, or they share neither leases nor checkpoints",
            );
        }
    }

    /// Tells the others that this instance goes.
    pub(super) async fn depart(&self) {
        let stream = &self.stream;
        let depart = || stream.leases.depart(&stream.name, &stream.owner);
        // The others find out by themselves, if later.
        let _ = seen(depart, DEPART_WITHIN).await;
    }

    /// Whether the rows could not be seen when they were last looked at.
    pub(super) const fn is_blind(&self) -> bool {
        self.blind
    }

    /// Whether another owner holds `shard`, as last seen.
    pub(super) fn is_held_elsewhere(&self, shard: &str) -> bool {
        self.owner(shard)
            .is_some_and(|owner| owner != &*self.stream.owner)
    }

    /// Whether this instance holds `shard`, as last seen.
    pub(super) fn is_held_here(&self, shard: &str) -> bool {
        self.owner(shard) == Some(&*self.stream.owner)
    }

    /// Whether the row of `shard`, as last seen, tells of a place before its end.
    pub(super) fn is_unfinished(&self, shard: &str) -> bool {
        let row = self.rows.get(shard);
        row.is_some_and(|row| !row.is_untouched() && !row.is_stale(self.stream.created))
            && !self.is_over(shard)
    }

    /// Whether nobody has read `shard` yet, as last seen.
    pub(super) fn is_untouched(&self, shard: &str) -> bool {
        self.rows.get(shard).is_none_or(LeaseState::is_untouched)
    }

    /// Whether `shard` was read to its end, as last seen.
    pub(super) fn is_over(&self, shard: &str) -> bool {
        self.rows.get(shard).is_some_and(|row| {
            let ended = row.cursor.is_none() && row.checkpoint.as_deref() == Some(SHARD_END);
            ended && !row.is_stale(self.stream.created)
        })
    }

    /// Whether `shard` was handed back for another instance, and none has it yet.
    pub(super) fn was_given(&self, shard: &str) -> bool {
        self.balance.was_given(shard)
    }

    fn owner(&self, shard: &str) -> Option<&str> {
        self.rows.get(shard)?.owner.as_deref()
    }

    /// How many more shards this instance may read.
    pub(super) fn room(&self, holding: Holdings) -> usize {
        let held = holding.kept + holding.leaving;
        self.stream.max_leases.saturating_sub(held)
    }

    /// Those of the `free` shards that this instance takes now, the `heirs` among them first.
    pub(super) fn choose(
        &mut self,
        free: Vec<ShardId>,
        heirs: Vec<ShardId>,
        mut holding: Holdings,
    ) -> Vec<ShardId> {
        holding.kept += heirs.len();
        let free = free.into_iter().filter(|id| !heirs.contains(id)).collect();
        let scene = self.scene(free, holding);
        let mut chosen = self.balance.take(&scene, clock::now());
        chosen.extend(heirs);
        chosen
    }

    /// How many shards this instance gives up now, for others to take.
    pub(super) fn surplus(&mut self, free: Vec<ShardId>, holding: Holdings) -> usize {
        let scene = self.scene(free, holding);
        self.balance.surplus(&scene, clock::now())
    }

    /// `shard` was handed back for another member to take.
    pub(super) fn gave(&mut self, shard: &ShardId) {
        self.balance.gave(shard, clock::now());
    }

    /// `shard` is another instance's, or over.
    pub(super) fn no_longer_free(&mut self, shard: &str) {
        self.balance.no_longer_free(shard);
    }

    /// `shard` is this instance's.
    pub(super) fn took(&mut self, shard: &str) {
        self.balance.took(shard);
    }

    fn scene(&self, free: Vec<ShardId>, holding: Holdings) -> Scene {
        let mut held = BTreeMap::new();
        // What this instance holds is what it keeps and hands back, whatever a row said once.
        let owners = self.rows.values().filter_map(|row| row.owner.as_ref());
        for owner in owners.filter(|owner| **owner != *self.stream.owner) {
            *held.entry(owner.clone()).or_default() += 1;
        }
        Scene {
            // Who is there without what they hold makes no shares.
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

    /// Warns when the others can no longer be seen, once.
    fn note(&mut self, outcome: Result<(), LeaseError>) {
        let failed = outcome.is_err();
        if let Err(error) = outcome
            && !self.failing
        {
            tracing::warn!(
                target: "ruststream::kinesis",
                subscription = &*self.stream.name,
                %error,
                "the lease store does not show the other instances",
            );
        }
        self.failing = failed;
    }
}

/// How many leases this instance holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holdings {
    /// Those it means to keep.
    pub(super) kept: usize,
    /// Those it is about to hand back.
    pub(super) leaving: usize,
    /// Those it holds and does not read yet.
    pub(super) parked: usize,
}

/// What a call of the store answers within that time. A store that panics there fails.
async fn seen<'a, T>(
    call: impl FnOnce() -> BoxFuture<'a, Result<T, LeaseError>>,
    within: Duration,
) -> Result<T, LeaseError> {
    let call = AssertUnwindSafe(async { answered(call(), || within).await });
    call.catch_unwind()
        .await
        .unwrap_or_else(|_| Err("the lease store panicked".into()))
}

//! Sharing the stream with other instances: who is there, who holds what, whose turn it is.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::timeout;

use super::held_lease::{STORE_TIMEOUT, answered};
use super::stream::Stream;
use super::take::Rows;
use crate::clock;
use crate::lease::{LeaseError, LeaseState, Member, SHARD_END, Survey};
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
}

impl Sharing {
    pub(super) fn new(stream: Arc<Stream>) -> Self {
        Self {
            balance: Balance::new(&stream.owner, stream.max_leases),
            members: Vec::new(),
            rows: Arc::default(),
            announce_at: clock::now(),
            failing: false,
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

    /// Tells the others that this instance reads the stream, and learns of them.
    pub(super) async fn announce(&mut self) {
        let stream = &self.stream;
        let most = Some(stream.max_leases).filter(|most| *most < usize::MAX);
        let me = Member::new(&*stream.owner, most);
        let (name, ttl) = (&*stream.name, stream.timings.lease_ttl);
        let announced = seen(|| stream.leases.announce(name, &me, ttl)).await;
        // In good time for one more try before the others take this instance for gone.
        self.announce_at =
            clock::now() + backoff::jittered(stream.timings.renew_every, 0.2, fastrand::u64(..));
        let noted = announced.map(|members| self.members = members);
        self.note(noted);
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

    /// Looks at the rows of `shards`, and at who is there.
    pub(super) async fn survey(&mut self, shards: &[ShardId]) {
        let stream = &self.stream;
        let shards_named: Vec<&str> = shards.iter().map(|shard| &**shard).collect();
        let surveyed = seen(|| stream.leases.survey(&stream.name, &shards_named)).await;
        // What cannot be seen now is asked for as if the store showed nothing.
        let noted = surveyed.map(|survey| {
            if let Some(Survey { states, members }) = survey {
                Arc::make_mut(&mut self.rows).extend(shards.iter().cloned().zip(states));
                self.members = members;
            }
        });
        self.note(noted);
    }

    /// Warns where another spelling of the stream's name has a row of `shard` of this very stream:
    /// instances that spell it differently do not see each other's leases, nor checkpoints.
    pub(super) async fn look_for_another_spelling(&self, shard: &ShardId) {
        let stream = &self.stream;
        let (other, shards) = (&*stream.other_spelling, [&**shard]);
        // What cannot be seen is not warned about.
        let Ok(Some(survey)) = seen(|| stream.leases.survey(other, &shards)).await else {
            return;
        };
        let is_ours = |row: &LeaseState| row.stream_created == stream.created;
        if stream.created.is_some() && survey.states.iter().any(is_ours) {
            tracing::warn!(
                target: "ruststream::kinesis",
                subscription = &*stream.name,
                other,
                "the lease store has rows of this stream under another spelling: all instances of a \
                 service name a stream alike, or they share neither leases nor checkpoints",
            );
        }
    }

    /// Tells the others that this instance goes.
    pub(super) async fn depart(&self) {
        let stream = &self.stream;
        let departing = seen(|| stream.leases.depart(&stream.name, &stream.owner));
        // The others find out by themselves, if later.
        let _ = timeout(DEPART_WITHIN, departing).await;
    }

    /// Whether another owner holds `shard`, as last seen.
    pub(super) fn is_held_elsewhere(&self, shard: &str) -> bool {
        self.owner(shard)
            .is_some_and(|owner| owner != &*self.stream.owner)
    }

    /// Whether nobody holds `shard` and it could be read, as last seen.
    pub(super) fn is_free(&self, shard: &str) -> bool {
        self.rows.get(shard).is_none_or(|row| {
            let ended = row.cursor.is_none() && row.checkpoint.as_deref() == Some(SHARD_END);
            row.owner.is_none() && !ended
        })
    }

    fn owner(&self, shard: &str) -> Option<&str> {
        self.rows.get(shard)?.owner.as_deref()
    }

    /// Those of the `free` shards that this instance takes now, where it keeps and hands back that
    /// many already.
    pub(super) fn choose(&mut self, free: Vec<ShardId>, holding: Holdings) -> Vec<ShardId> {
        let scene = self.scene(free, holding);
        self.balance.take(&scene, clock::now())
    }

    /// How many shards this instance gives up now, for others to take.
    pub(super) fn surplus(&mut self, free: Vec<ShardId>, holding: Holdings) -> usize {
        let scene = self.scene(free, holding);
        self.balance.surplus(&scene)
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
        for owner in self.rows.values().filter_map(|row| row.owner.as_ref()) {
            *held.entry(owner.clone()).or_default() += 1;
        }
        Scene {
            sharers: self
                .members
                .iter()
                .map(|member| Sharer {
                    owner: member.owner.clone(),
                    most: member.max_leases.unwrap_or(usize::MAX),
                })
                .collect(),
            held,
            kept: holding.kept,
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
}

/// What a call of the store about other instances answers. A store that panics there fails.
async fn seen<'a, T>(
    call: impl FnOnce() -> BoxFuture<'a, Result<T, LeaseError>>,
) -> Result<T, LeaseError> {
    let call = AssertUnwindSafe(async { answered(call(), || STORE_TIMEOUT).await });
    call.catch_unwind()
        .await
        .unwrap_or_else(|_| Err("the lease store panicked".into()))
}

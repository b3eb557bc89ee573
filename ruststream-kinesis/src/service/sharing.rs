//! Sharing the stream with other instances: the calls that show who is there and who holds what.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::held_lease::answered;
use super::stream::Stream;
use crate::clock;
use crate::lease::{ANSWERED_WITHIN, LeaseError, LeaseKey, LeaseTimings, Member, Survey};
use crate::rules::backoff;
use crate::rules::balance::Sharer;
use crate::rules::shard_graph::ShardId;
use crate::rules::sharing;

/// How long telling the others that this instance goes may hold up its leases' release.
const DEPART_WITHIN: Duration = Duration::from_secs(1);

/// What this instance knows of the others, and how it comes to know it.
pub(super) struct Sharing {
    stream: Arc<Stream>,
    pub(super) rules: sharing::Sharing,
    /// When this instance is to tell the others again that it is there.
    pub(super) announce_at: Instant,
    failing: bool,
}

impl Sharing {
    pub(super) fn new(stream: Arc<Stream>) -> Self {
        Self {
            rules: sharing::Sharing::new(&stream.owner, stream.max_leases),
            announce_at: clock::now(),
            failing: false,
            stream,
        }
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
        let announced = announcing.await;
        self.announce_at = asked + backoff::jittered(renew_every, 0.2, fastrand::u64(..));
        let announced = announced.map(|members| self.rules.met(sharers(members)));
        self.note(announced);
    }

    /// As often as it is due, and so that there is time for another before this instance is taken
    /// for gone.
    pub(super) async fn announce_again(&mut self) {
        self.announce(self.stream.timings.lease_ttl / 4).await;
    }

    /// Looks at the rows of `shards`, and at who is there.
    pub(super) async fn survey(&mut self, shards: &[ShardId]) {
        let stream = &self.stream;
        let shards_named: Vec<&str> = shards.iter().map(|shard| &**shard).collect();
        let surveying = seen(
            || stream.leases.survey(&stream.name, &shards_named),
            ANSWERED_WITHIN,
        );
        let surveyed = surveying.await.and_then(|survey| {
            let Some(Survey { states, members }) = survey else {
                self.rules.saw([]);
                return Ok(());
            };
            if states.len() != shards.len() {
                let (asked, answered) = (shards.len(), states.len());
                return Err(format!("a survey of {asked} shards answers {answered}").into());
            }
            let rows = states.into_iter().map(|state| state.seen(stream.created));
            self.rules.saw(shards.iter().cloned().zip(rows));
            self.rules.met(sharers(members));
            Ok(())
        });
        if surveyed.is_err() {
            // It is asked for as if the store showed nothing.
            self.rules.saw_nothing();
        }
        self.note(surveyed);
    }

    /// Warns where another spelling of the stream's name has a row of `shard` of this very stream:
    /// instances that spell it differently do not see each other's leases, nor checkpoints.
    pub(super) async fn look_for_another_spelling(&self, shard: &str) {
        let stream = &self.stream;
        let other = LeaseKey::new(&*stream.other_spelling, shard);
        // What cannot be seen is not warned about.
        let Ok(row) = seen(|| stream.leases.read(&other), ANSWERED_WITHIN).await else {
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

fn sharers(members: Vec<Member>) -> Vec<Sharer> {
    let sharers = members.into_iter().map(|member| Sharer {
        owner: member.owner,
        most: member.max_leases.unwrap_or(usize::MAX),
    });
    sharers.collect()
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

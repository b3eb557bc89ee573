//! Which free shards an instance takes, and which of its own it gives up, so that the instances of
//! a service share a stream evenly.
//!
//! Nobody leads. Each instance reckons every share from what all of them can see, the members and
//! the leases, and acts on its own: one below its share takes what is free, one above its share
//! gives up as many as the others lack. A live lease is never taken from its owner.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::shard_graph::ShardId;

/// How long a shard may be free before an instance takes it that has its share already: whose share
/// it is may be gone, or be kept from it.
const LEFT_OVER_AFTER: Duration = Duration::from_secs(2);
/// The same for a shard that this instance gave up itself, for another to take.
const TAKEN_BACK_AFTER: Duration = Duration::from_secs(10);

/// One instance that reads the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sharer {
    pub(crate) owner: String,
    /// The most shards it takes.
    pub(crate) most: usize,
}

/// What an instance sees of the stream's leases.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    /// The members, this instance among them; none where the store does not tell.
    pub(crate) sharers: Vec<Sharer>,
    /// How many leases each other member holds.
    pub(crate) held: BTreeMap<String, usize>,
    /// How many leases this instance holds and means to keep.
    pub(crate) kept: usize,
    /// How many it is about to hand back.
    pub(crate) leaving: usize,
    /// How many it holds and does not read before others are read here.
    pub(crate) parked: usize,
    /// The shards that nobody holds and that could be read.
    pub(crate) free: Vec<ShardId>,
}

/// One instance's part in sharing a stream.
#[derive(Debug)]
pub(crate) struct Balance {
    me: String,
    most: usize,
    /// Since when shards have been seen free.
    free_since: BTreeMap<ShardId, Instant>,
    /// The shards that were given up for others.
    given: BTreeMap<ShardId, Given>,
    /// Where this instance last meant to give shards up.
    giving: Option<Circumstances>,
    /// Where a shard was given up that came back since the last look at the shares.
    came_back: Option<Circumstances>,
    /// How often in a row shards came back, and since when.
    in_vain: Option<(u32, Instant)>,
    /// Where that was: nobody wants more there, and none moves twice.
    settled: Option<Circumstances>,
}

/// Who shares how many shards.
type Circumstances = (BTreeSet<String>, usize);

/// When a shard was given up, and where.
#[derive(Debug)]
struct Given {
    at: Instant,
    /// Whether nobody took it for as long as it was left to others.
    in_vain: bool,
    there: Option<Circumstances>,
}

impl Balance {
    /// The part of `me`, which takes at most `most` shards.
    pub(crate) fn new(me: &str, most: usize) -> Self {
        Self {
            me: me.to_owned(),
            most,
            free_since: BTreeMap::new(),
            given: BTreeMap::new(),
            giving: None,
            came_back: None,
            in_vain: None,
            settled: None,
        }
    }

    /// The free shards to take now.
    pub(crate) fn take(&mut self, scene: &Scene, now: Instant) -> Vec<ShardId> {
        for shard in &scene.free {
            self.free_since.entry(ShardId::clone(shard)).or_insert(now);
        }
        let most = self.most.saturating_sub(scene.kept + scene.leaving);
        let shares = scene.shares(&self.me);
        let share = shares.as_ref().map_or(most, |shares| {
            shares
                .mine
                .saturating_sub(scene.kept + scene.parked)
                .min(most)
        });
        // What another was meant to take comes last.
        let mut candidates = scene.free.clone();
        candidates.sort_by_key(|shard| (self.given.contains_key(shard), self.order(shard)));
        let mut chosen = Vec::new();
        for shard in candidates {
            let room = chosen.len() < most;
            // Where nobody's share is known, what was given up is left to the others for its time.
            let falls_to_me =
                chosen.len() < share && (shares.is_some() || !self.given.contains_key(&shard));
            let left_over = self.is_left_over(&shard, now);
            if room && (falls_to_me || left_over) {
                if let Some(given) = self.given.get_mut(&shard) {
                    given.in_vain = left_over;
                }
                chosen.push(shard);
            }
        }
        chosen
    }

    /// How many of the shards it keeps this instance is to give up now.
    pub(crate) fn surplus(&mut self, scene: &Scene, now: Instant) -> usize {
        let Some(shares) = scene.shares(&self.me) else {
            return 0;
        };
        let circumstances = Some(scene.circumstances());
        let came_back = self.came_back.take();
        if came_back.is_some() {
            let times = self.in_vain.map_or(0, |(times, _)| times);
            self.in_vain = Some((times.saturating_add(1), now));
        }
        // What came back tells nothing of another company than the one it was given up in.
        if came_back.is_some() && came_back == circumstances {
            self.settled = circumstances;
            return 0;
        }
        if self.settled.is_some() {
            if self.settled == circumstances {
                return 0;
            }
            self.settled = None;
            self.given.clear();
        }
        // Members that come and never take anything do not keep the shards moving.
        if let Some((times, since)) = self.in_vain
            && times > 1
            && now.saturating_duration_since(since) < TAKEN_BACK_AFTER * 2_u32.pow(times.min(6))
        {
            return 0;
        }
        let on_the_way = scene.free.len() + scene.leaving;
        let surplus = (scene.kept + scene.parked)
            .saturating_sub(shares.mine)
            .min(scene.kept)
            .min(shares.lacking.saturating_sub(on_the_way));
        if surplus > 0 {
            self.giving = circumstances;
        }
        surplus
    }

    /// `shard` was handed back for another to take.
    pub(crate) fn gave(&mut self, shard: &ShardId, now: Instant) {
        let given = Given {
            at: now,
            in_vain: false,
            there: self.giving.clone(),
        };
        self.given.insert(ShardId::clone(shard), given);
    }

    /// Whether `shard` was handed back for another, and none has it yet.
    pub(crate) fn was_given(&self, shard: &str) -> bool {
        self.given.contains_key(shard)
    }

    /// `shard` is another instance's, or over: whatever it was given up for is done.
    pub(crate) fn no_longer_free(&mut self, shard: &str) {
        self.free_since.remove(shard);
        if self.given.remove(shard).is_some() {
            self.in_vain = None;
        }
    }

    /// `shard` is this instance's.
    pub(crate) fn took(&mut self, shard: &str) {
        self.free_since.remove(shard);
        // One that is needed here again, as shards ended or came, was not given up in vain.
        if let Some(given) = self.given.remove(shard).filter(|given| given.in_vain) {
            self.came_back = given.there;
        }
    }

    fn is_left_over(&self, shard: &str, now: Instant) -> bool {
        let waited = |since: &Instant| now.saturating_duration_since(*since);
        match self.given.get(shard) {
            Some(given) => waited(&given.at) >= TAKEN_BACK_AFTER,
            None => self
                .free_since
                .get(shard)
                .is_some_and(|since| waited(since) >= LEFT_OVER_AFTER),
        }
    }

    /// An order of the shards that is this instance's own, so that two do not ask for the same ones
    /// first.
    fn order(&self, shard: &str) -> u64 {
        let bytes = self.me.bytes().chain(shard.bytes());
        // FNV-1a: any spread will do, and it must not differ between builds.
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }
}

/// What falls to whom.
#[derive(Debug, PartialEq, Eq)]
struct Shares {
    mine: usize,
    /// How many shards the other members are short of theirs.
    lacking: usize,
}

impl Scene {
    fn circumstances(&self) -> Circumstances {
        let sharers = self.sharers.iter().map(|sharer| sharer.owner.clone());
        (sharers.collect(), self.shards())
    }

    /// The shards that are shared: those of owners that are no members are left to them.
    fn shards(&self) -> usize {
        let held: usize = self.others("").map(|(_, held)| held).sum();
        held + self.kept + self.parked + self.leaving + self.free.len()
    }

    /// The leases of the members other than `me`.
    fn others<'a>(&'a self, me: &'a str) -> impl Iterator<Item = (&'a Sharer, usize)> {
        let others = self.sharers.iter().filter(move |sharer| sharer.owner != me);
        others.map(|sharer| (sharer, self.held.get(&sharer.owner).copied().unwrap_or(0)))
    }

    /// The shares; nothing where the members are not known.
    fn shares(&self, me: &str) -> Option<Shares> {
        let mine = self.sharers.iter().find(|sharer| sharer.owner == me)?;
        let mut ranked: Vec<_> = self.others(me).collect();
        ranked.push((mine, self.kept + self.parked + self.leaving));
        // Who holds more keeps more, so that as few as possible move.
        ranked.sort_by(|(a, a_held), (b, b_held)| {
            b_held.cmp(a_held).then_with(|| a.owner.cmp(&b.owner))
        });
        let shards = self.shards();
        let total_at = |level: usize| -> usize {
            ranked
                .iter()
                .map(|(sharer, _)| sharer.most.min(level))
                .sum()
        };
        let level = (1..=shards)
            .take_while(|level| total_at(*level) <= shards)
            .last()
            .unwrap_or(0);
        let mut rest = shards.saturating_sub(total_at(level));
        let mut fair = Shares {
            mine: 0,
            lacking: 0,
        };
        for (sharer, held) in ranked {
            let mut share = sharer.most.min(level);
            if rest > 0 && sharer.most > level {
                rest -= 1;
                share += 1;
            }
            if sharer.owner == me {
                fair.mine = share;
            } else {
                fair.lacking += share.saturating_sub(held);
            }
        }
        Some(fair)
    }
}

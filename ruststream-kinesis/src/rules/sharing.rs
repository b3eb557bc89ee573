//! One instance's part in sharing a stream: who is there, who holds what, whose turn it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::balance::{Balance, Scene, Sharer};
use super::seen_row::{SeenRow, SeenRows};
use super::shard_graph::ShardId;
use super::subscription::{ParentsEnded, Shards};

/// What this instance knows of the others, and makes of it.
#[derive(Debug)]
pub(crate) struct Sharing {
    me: Arc<str>,
    /// The most shards this instance reads.
    most: usize,
    balance: Balance,
    sharers: Vec<Sharer>,
    /// The rows of the shards that are not read here, as last seen; none of a store that shows none.
    rows: Arc<SeenRows>,
    /// Whether the rows could not be seen when they were last looked at.
    blind: bool,
}

/// The leases this instance holds.
#[derive(Debug, Clone)]
pub(crate) struct Holdings {
    /// How many it means to keep.
    pub(crate) kept: usize,
    /// How many it is about to hand back.
    pub(crate) leaving: usize,
    /// How many it holds of shards that are not read yet.
    pub(crate) parked: usize,
    /// The shards that are to be read once their ancestors are read again.
    pub(crate) waiting: Vec<ShardId>,
}

/// What becomes of the shards that are ready.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// Those to ask for.
    pub(crate) asked: Vec<ParentsEnded>,
    /// Those of other owners.
    pub(crate) elsewhere: Vec<ShardId>,
}

impl Sharing {
    pub(crate) fn new(me: &Arc<str>, most: usize) -> Self {
        Self {
            me: Arc::clone(me),
            most,
            balance: Balance::new(me, most),
            sharers: Vec::new(),
            rows: Arc::default(),
            blind: false,
        }
    }

    // What was seen.

    /// The store named who is there.
    pub(crate) fn met(&mut self, sharers: Vec<Sharer>) {
        self.sharers = sharers;
    }

    /// The store showed these rows.
    pub(crate) fn saw(&mut self, rows: impl IntoIterator<Item = (ShardId, SeenRow)>) {
        self.blind = false;
        Arc::make_mut(&mut self.rows).extend(rows);
    }

    /// The store failed to show any rows.
    pub(crate) const fn saw_nothing(&mut self) {
        self.blind = true;
    }

    /// Forgets what was seen of the table.
    pub(crate) fn look_anew(&mut self) {
        self.rows = Arc::default();
    }

    /// Forgets what was seen of `shard`.
    pub(crate) fn forget(&mut self, shard: &str) {
        Arc::make_mut(&mut self.rows).remove(shard);
    }

    pub(crate) fn rows(&self) -> Arc<SeenRows> {
        Arc::clone(&self.rows)
    }

    /// Who reads the stream.
    pub(crate) fn members(&self) -> impl Iterator<Item = &str> {
        self.sharers.iter().map(|sharer| &*sharer.owner)
    }

    /// Whether the rows could not be seen when they were last looked at.
    pub(crate) const fn is_blind(&self) -> bool {
        self.blind
    }

    /// Whether no row that was looked at says anything: the table knows nothing of the stream.
    pub(crate) fn sees_no_row(&self) -> bool {
        self.rows.values().all(SeenRow::is_untouched)
    }

    // What comes of it.

    /// Those of `shards` whose rows were not seen since the last look.
    pub(crate) fn unseen<'a>(&self, shards: impl IntoIterator<Item = &'a ShardId>) -> Vec<ShardId> {
        let unseen = shards
            .into_iter()
            .filter(|shard| !self.rows.contains_key(*shard));
        unseen.cloned().collect()
    }

    /// Parts the `ready` shards: those to ask for, those of others, and the rest, which is left to
    /// the other members.
    pub(crate) fn choose(
        &mut self,
        shards: &mut Shards,
        ready: Vec<ParentsEnded>,
        holdings: &Holdings,
        now: Instant,
    ) -> Choice {
        let silent = SeenRow::default();
        let mut choice = Choice::default();
        let mut free = Vec::new();
        for proof in ready {
            let id = Arc::clone(proof.shard());
            let row = self.rows.get(&id).unwrap_or(&silent);
            let owner = row.owner.as_deref();
            if owner.is_some_and(|owner| owner != &*self.me) {
                self.balance.no_longer_free(&id);
                shards.held_elsewhere(&id);
                choice.elsewhere.push(id);
            } else if holdings.waiting.contains(&id) || row.is_over() && !shards.ignores_row(&id) {
                choice.asked.push(proof);
            } else if owner.is_none() {
                free.push(proof);
            } else if self.balance.was_given(&id) {
                // A release that failed leaves its lease to expire, for whom it was meant.
                shards.left_to_others(&id);
            } else {
                choice.asked.push(proof);
            }
        }
        let mine = self.mine(shards, &free, holdings, now);
        for proof in free {
            if mine.contains(proof.shard()) {
                choice.asked.push(proof);
            } else {
                shards.left_to_others(proof.shard());
            }
        }
        choice
    }

    /// Those of the `free` shards that are this instance's to take.
    fn mine(
        &mut self,
        shards: &Shards,
        free: &[ParentsEnded],
        holdings: &Holdings,
        now: Instant,
    ) -> BTreeSet<ShardId> {
        // The children of what was read to its end here go on here, whoever's share they are: nobody
        // else knows of them yet. So does what waiting shards wait for.
        let is_heir = |id: &&ShardId| {
            let untouched = self.rows.get(*id).is_none_or(SeenRow::is_untouched);
            shards.inherits(id) && untouched || shards.is_ancestor_of_any(id, &holdings.waiting)
        };
        let room = self.most.saturating_sub(holdings.kept + holdings.leaving);
        let free = free.iter().map(ParentsEnded::shard);
        let mut mine: BTreeSet<_> = free.clone().filter(is_heir).take(room).cloned().collect();
        let rest = free.filter(|id| !mine.contains(*id)).cloned().collect();
        let mut scene = self.scene(rest, holdings);
        scene.kept += mine.len();
        mine.extend(self.balance.take(&scene, now));
        mine
    }

    /// The finished parents and the gone ancestors of the `asked` shards whose rows are still to be
    /// seen.
    pub(crate) fn unseen_parents(&self, shards: &Shards, asked: &[ParentsEnded]) -> Vec<ShardId> {
        let parents = asked.iter().flat_map(|proof| {
            let finished = shards.finished_parents(proof.shard());
            finished
                .into_iter()
                .chain(shards.gone_ancestors(proof.shard()))
        });
        let parents: BTreeSet<_> = parents.collect();
        self.unseen(&parents)
    }

    /// Those of the `asked` shards whose parents are over as their rows have it, too: another
    /// instance may have sought to before the end of one, and be gone.
    pub(crate) fn unless_replayed(
        &self,
        shards: &mut Shards,
        asked: Vec<ParentsEnded>,
    ) -> Vec<ParentsEnded> {
        let (mut over, mut replayed) = (Vec::new(), BTreeSet::new());
        for proof in asked {
            let mut parents = shards.finished_parents(proof.shard());
            parents.retain(|parent| self.rows.get(parent).is_some_and(SeenRow::is_unfinished));
            if parents.is_empty() {
                over.push(proof);
            }
            replayed.extend(parents);
        }
        for parent in &replayed {
            shards.reopened(parent);
        }
        over
    }

    /// The shards to hand over, of those that are `kept` and how long the checkpoint of each has
    /// waited: the one that waited longest goes last, since its next owner reads again everything
    /// since.
    pub(crate) fn hand_over(
        &mut self,
        shards: &Shards,
        holdings: &Holdings,
        kept: impl FnOnce() -> Vec<(Option<Duration>, ShardId)>,
        now: Instant,
    ) -> Vec<ShardId> {
        let scene = self.scene(shards.left(), holdings);
        let surplus = self.balance.surplus(&scene, now);
        if surplus == 0 {
            return Vec::new();
        }
        let mut kept = kept();
        // What others wait for is read here, where their leases are.
        kept.retain(|(_, id)| !shards.is_ancestor_of_any(id, &holdings.waiting));
        kept.sort();
        kept.into_iter().map(|(_, id)| id).take(surplus).collect()
    }

    /// `shard` was handed back for another member to take.
    pub(crate) fn gave(&mut self, shard: &ShardId, now: Instant) {
        self.balance.gave(shard, now);
    }

    /// `shard` is another instance's, or over.
    pub(crate) fn no_longer_free(&mut self, shard: &str) {
        self.balance.no_longer_free(shard);
    }

    /// `shard` is this instance's.
    pub(crate) fn took(&mut self, shard: &str) {
        self.balance.took(shard);
    }

    fn scene(&self, free: Vec<ShardId>, holdings: &Holdings) -> Scene {
        let mut held = BTreeMap::new();
        // What this instance holds is what it keeps and hands back, whatever a row said once.
        let owners = self.rows.values().filter_map(|row| row.owner.as_ref());
        for owner in owners.filter(|owner| **owner != *self.me) {
            *held.entry(owner.clone()).or_default() += 1;
        }
        Scene {
            // Who is there without what they hold makes no shares.
            sharers: if self.blind {
                Vec::new()
            } else {
                self.sharers.clone()
            },
            held,
            kept: holdings.kept,
            parked: holdings.parked,
            leaving: holdings.leaving,
            free,
        }
    }
}

//! One subscription's shards: which are to be taken, which are read, which are over.
//!
//! ```text
//!            taken                 read to its end
//!  Waiting ─────────► Reading ─────────────────────► Finished
//!     ▲                  │                               │
//!     └── lease lost ────┘◄── a position before its end ─┘
//! ```
//!
//! A shard waits until its parents are finished, or gone from the stream and read by nobody, which is
//! what keeps a key's order across a reshard.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cursor::Cursor;
use super::entry::{Entry, Hindrance, State};
use super::prospect::{Prospect, Tip};
use super::shard_graph::{Listed, ShardGraph, ShardId};

/// The proof that a shard's parents are finished or gone; a reader starts only with one.
#[derive(Debug)]
pub(crate) struct ParentsEnded {
    shard: ShardId,
}

impl ParentsEnded {
    pub(crate) const fn shard(&self) -> &ShardId {
        &self.shard
    }
}

/// The shards of one subscription.
#[derive(Debug)]
pub(crate) struct Shards {
    pub(super) graph: ShardGraph,
    pub(super) entries: BTreeMap<ShardId, Entry>,
    /// The stream-wide position, for shards without one of their own.
    pub(super) position: Option<Cursor>,
    tip: Tip,
    listed_before: bool,
}

impl Shards {
    /// The shards of a subscription that opens at that instant, in milliseconds since the epoch by
    /// the service's clock.
    pub(crate) fn new(opened_at: u64) -> Self {
        Self {
            graph: ShardGraph::default(),
            entries: BTreeMap::new(),
            position: None,
            tip: Tip::Now(opened_at),
            listed_before: false,
        }
    }

    /// Takes in a listing. Shards that two leave out are forgotten unless they are being read; one
    /// that was made right after another does not `count` for that, since both may have been taken in
    /// the middle of one change.
    pub(crate) fn listed(&mut self, listing: Vec<Listed>, count: bool) {
        let existed = !self.listed_before;
        self.listed_before = true;
        let mut parents_of_new = Vec::new();
        for shard in &listing {
            if !existed && !self.entries.contains_key(&shard.id) {
                parents_of_new.extend(shard.parents().cloned());
            }
            self.entries
                .entry(Arc::clone(&shard.id))
                .or_insert_with(|| Entry::new(existed));
        }
        // The parents of what the first listing holds may be long gone; those of a shard that
        // appears later are there, even where this listing leaves them out.
        for parent in parents_of_new {
            self.entries
                .entry(parent)
                .or_insert_with(|| Entry::new(existed));
        }
        self.graph.replace(listing);
        for (id, entry) in &mut self.entries {
            entry.deferred = false;
            if self.graph.contains(id) {
                entry.listed(self.graph.all_parents(id));
            } else if count {
                entry.left_out(!self.graph.children(id).is_empty());
            }
        }
        // A shard that grows is not finished: it is one of a stream that was created again.
        for (id, entry) in &mut self.entries {
            if matches!(entry.state, State::Finished { .. })
                && self.graph.is_open(id)
                && self.graph.children(id).is_empty()
            {
                entry.state = State::Waiting;
            }
        }
        self.forget_unlisted();
    }

    /// The first pass is over: from now on the tip is the instant the subscription opened.
    pub(crate) const fn opened(&mut self) {
        if let Tip::Now(at) = self.tip {
            self.tip = Tip::Then(at);
        }
    }

    /// The shards to be taken, each with the proof that its parents ended.
    pub(crate) fn ready(&self) -> Vec<ParentsEnded> {
        self.entries
            .iter()
            .filter(|(id, entry)| self.is_waiting(id, entry) && !entry.deferred)
            .filter(|(id, _)| self.parents_ended(id))
            .map(|(id, _)| ParentsEnded {
                shard: Arc::clone(id),
            })
            .collect()
    }

    /// Whether the shard is there, and not read nor over.
    fn is_waiting(&self, id: &str, entry: &Entry) -> bool {
        entry.state == State::Waiting && self.graph.contains(id)
    }

    fn parents_ended(&self, id: &str) -> bool {
        self.graph
            .all_parents(id)
            .all(|parent| self.has_ended(parent))
    }

    /// Whether nothing more comes of `id`, nor of what came before it.
    fn has_ended(&self, id: &str) -> bool {
        self.entries.get(id).is_none_or(|entry| match entry.state {
            State::Finished { .. } => true,
            State::Reading => false,
            State::Waiting => {
                let mut parents = entry.parents.iter();
                entry.is_gone() && parents.all(|parent| self.has_ended(parent))
            }
        })
    }

    /// Whether the listings leave `id` out: where the service has it no more, it is over.
    pub(crate) fn is_unlisted(&self, id: &str) -> bool {
        self.entries.get(id).is_none_or(Entry::is_unlisted)
    }

    /// The ancestors of `id` that are gone from the stream without being known as finished here:
    /// another instance may still be at what it read of them.
    pub(crate) fn gone_ancestors(&self, id: &str) -> Vec<ShardId> {
        let mut gone = Vec::new();
        let mut asked: Vec<&ShardId> = self.graph.all_parents(id).collect();
        while let Some(parent) = asked.pop() {
            let entry = self.entries.get(parent);
            let finished = entry.is_some_and(|entry| matches!(entry.state, State::Finished { .. }));
            if self.graph.contains(parent) || finished || gone.contains(parent) {
                continue;
            }
            gone.push(Arc::clone(parent));
            asked.extend(entry.into_iter().flat_map(|entry| &entry.parents));
        }
        gone
    }

    /// Whether one of `shards` descends from `id`.
    pub(crate) fn is_ancestor_of_any(&self, id: &str, shards: &[ShardId]) -> bool {
        let is_it = |ancestor: &str| ancestor == id;
        shards
            .iter()
            .any(|shard| self.graph.descends(shard, &is_it))
    }

    /// How many shards are ready but another owner's, or left to one.
    pub(crate) fn elsewhere(&self) -> usize {
        let elsewhere = [Hindrance::HeldElsewhere, Hindrance::LeftToOthers];
        let waiting = self.entries.iter().filter(|(id, entry)| {
            self.is_waiting(id, entry)
                && entry.hindrance.is_some_and(|why| elsewhere.contains(&why))
        });
        waiting.count()
    }

    /// The shards that are neither read here nor over.
    pub(crate) fn not_read_here(&self) -> Vec<ShardId> {
        let waiting = self.entries.iter();
        let waiting = waiting.filter(|(id, entry)| self.is_waiting(id, entry));
        waiting.map(|(id, _)| Arc::clone(id)).collect()
    }

    /// The shards nobody holds that are left to other members.
    pub(crate) fn left(&self) -> Vec<ShardId> {
        let left = self.entries.iter().filter(|(id, entry)| {
            self.is_waiting(id, entry) && entry.hindrance == Some(Hindrance::LeftToOthers)
        });
        left.map(|(id, _)| Arc::clone(id)).collect()
    }

    /// The listed shards, and the parents of theirs that are not.
    pub(crate) fn known(&self) -> BTreeSet<ShardId> {
        let listed = self.graph.ids();
        let parents = listed.clone().flat_map(|id| self.graph.all_parents(id));
        listed.chain(parents).cloned().collect()
    }

    /// Whether a position of this subscription wins over the row of `id`.
    pub(crate) fn ignores_row(&self, id: &str) -> bool {
        self.entries
            .get(id)
            .is_some_and(|entry| entry.repositioned.is_some())
    }

    /// The listed parents of `id`, which are finished as far as is known here.
    pub(crate) fn finished_parents(&self, id: &str) -> Vec<ShardId> {
        let finished = |parent: &&ShardId| {
            self.entries
                .get(*parent)
                .is_some_and(|entry| matches!(entry.state, State::Finished { .. }))
        };
        self.graph.parents(id).filter(finished).cloned().collect()
    }

    /// The row of `id` tells that another owner moved it to before its end: it is read again, before
    /// its children.
    pub(crate) fn reopened(&mut self, id: &str) {
        if let Some(entry) = self.entries.get_mut(id)
            && matches!(entry.state, State::Finished { .. })
        {
            entry.state = State::Waiting;
        }
    }

    /// What is known of `id` before it is asked for.
    pub(crate) fn prospect(&self, id: &str) -> Prospect {
        let entry = self.entries.get(id);
        Prospect {
            open: self.graph.is_open(id),
            children: self.graph.children(id).to_vec(),
            gone: self.gone_ancestors(id),
            unlisted_parents: self
                .graph
                .all_parents(id)
                .filter(|parent| !self.graph.contains(parent))
                .cloned()
                .collect(),
            repositioned: entry.and_then(|entry| entry.repositioned.clone()),
            remembered: entry.and_then(|entry| entry.remembered.clone()),
            stream_wide: self.position.clone(),
            existed: entry.is_some_and(|entry| entry.existed),
            followed: self.parents_followed(id),
            tip: self.tip,
        }
    }

    fn parents_followed(&self, id: &str) -> bool {
        self.graph.all_parents(id).any(|parent| {
            self.entries.get(parent).is_some_and(|entry| {
                let gone_half_read = entry.followed && !self.graph.contains(parent);
                gone_half_read || matches!(entry.state, State::Finished { followed: true, .. })
            })
        })
    }

    /// Whether `id` goes on where this instance read a parent to its end.
    pub(crate) fn inherits(&self, id: &str) -> bool {
        self.graph.all_parents(id).any(|parent| {
            self.entries
                .get(parent)
                .is_some_and(|entry| matches!(entry.state, State::Finished { here: true, .. }))
        })
    }

    /// A reader opened `id` at `cursor`.
    pub(crate) fn reading(&mut self, id: &str, cursor: &Cursor) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.state = State::Reading;
            entry.repositioned = None;
            entry.followed = match cursor {
                Cursor::Tip => false,
                // The tip of the opening, or that of an earlier reader.
                Cursor::Timestamp(at) if self.tip == Tip::Then(*at) => false,
                cursor if Some(cursor) == entry.remembered.as_ref() => entry.followed,
                _ => true,
            };
            entry.hindrance = None;
        }
    }

    /// Another owner holds `id`.
    pub(crate) fn held_elsewhere(&mut self, id: &str) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.hindrance = Some(Hindrance::HeldElsewhere);
            // That owner moves the checkpoint now; what was meant here is behind it.
            entry.remembered = None;
            entry.repositioned = None;
        }
    }

    /// Another owner is at what it read of an ancestor of `id`.
    pub(crate) fn behind_another(&mut self, id: &str) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.hindrance = Some(Hindrance::HeldElsewhere);
        }
    }

    /// Nobody holds `id`, and it is left to another member.
    pub(crate) fn left_to_others(&mut self, id: &str) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.hindrance = Some(Hindrance::LeftToOthers);
        }
    }

    /// `id` was handed back for another member to take.
    pub(crate) fn handed_over(&mut self, id: &str) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.state = State::Waiting;
        }
        self.left_to_others(id);
        self.forget_unlisted();
    }

    /// `id` could not be taken; it is tried again at the next listing.
    pub(crate) fn failed(&mut self, id: &str) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.hindrance = Some(Hindrance::Failed);
            entry.deferred = true;
        }
    }

    /// The reader of `id`, opened at `origin`, stopped before the end. `wins` where that was a
    /// position without progress since, which the row knows nothing of.
    pub(crate) fn stopped(&mut self, id: &str, origin: Cursor, wins: bool) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.state = State::Waiting;
            if wins {
                entry.repositioned = Some(origin);
            } else {
                entry.remembered = Some(origin);
            }
        }
        self.forget_unlisted();
    }

    /// `id` is read to its end, here or as its row says.
    pub(crate) fn finished(&mut self, id: &str, read_here: bool) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.state = State::Finished {
                followed: !read_here || entry.followed,
                here: read_here,
            };
            entry.remembered = None;
            entry.hindrance = None;
        }
        self.forget_unlisted();
    }

    fn forget_unlisted(&mut self) {
        let graph = &self.graph;
        self.entries.retain(|id, entry| {
            graph.contains(id)
                || entry.state == State::Reading
                || !entry.is_unlisted()
                // Where its children open depends on it.
                || !graph.children(id).is_empty()
        });
    }
}

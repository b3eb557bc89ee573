//! Shards and their parents, across splits and merges.
//!
//! A split closes one shard and opens two children; a merge closes two and opens one child with a
//! parent and an adjacent parent. A parent that has aged out of the listing is finished: nothing of
//! it is left to read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A shard's id; shared, since every delivery names its shard.
pub(crate) type ShardId = Arc<str>;

/// One shard as the service lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) id: ShardId,
    pub(crate) parent: Option<ShardId>,
    pub(crate) adjacent_parent: Option<ShardId>,
    /// Whether the shard may still grow.
    pub(crate) open: bool,
}

impl Listed {
    pub(crate) fn parents(&self) -> impl Iterator<Item = &ShardId> {
        self.parent.iter().chain(&self.adjacent_parent)
    }
}

/// The listed shards, by id.
#[derive(Debug, Default)]
pub(crate) struct ShardGraph {
    shards: BTreeMap<ShardId, Listed>,
    children: BTreeMap<ShardId, Vec<ShardId>>,
}

impl ShardGraph {
    /// Replaces the listing.
    pub(crate) fn replace(&mut self, listing: Vec<Listed>) {
        self.children.clear();
        for shard in &listing {
            for parent in shard.parents() {
                let siblings = self.children.entry(Arc::clone(parent)).or_default();
                siblings.push(Arc::clone(&shard.id));
            }
        }
        self.shards = listing
            .into_iter()
            .map(|shard| (Arc::clone(&shard.id), shard))
            .collect();
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.shards.contains_key(id)
    }

    /// The listed shards.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &ShardId> + Clone {
        self.shards.keys()
    }

    /// The parents of `id`, listed or not.
    pub(crate) fn all_parents(&self, id: &str) -> impl Iterator<Item = &ShardId> {
        self.shards.get(id).into_iter().flat_map(Listed::parents)
    }

    /// The parents of `id` that are still listed.
    pub(crate) fn parents(&self, id: &str) -> impl Iterator<Item = &ShardId> {
        self.all_parents(id).filter(|parent| self.contains(parent))
    }

    /// Whether `id` is listed as open: it may still grow.
    pub(crate) fn is_open(&self, id: &str) -> bool {
        self.shards.get(id).is_some_and(|shard| shard.open)
    }

    /// The listed children of `id`.
    pub(crate) fn children(&self, id: &str) -> &[ShardId] {
        self.children.get(id).map_or(&[], Vec::as_slice)
    }

    /// Whether `id` descends from a shard for which `holds` is true.
    pub(crate) fn descends(&self, id: &str, holds: &impl Fn(&str) -> bool) -> bool {
        // A listing is not ours: each ancestor is looked at once, whatever the paths to it.
        let mut seen = BTreeSet::new();
        let mut left: Vec<_> = self.parents(id).collect();
        while let Some(ancestor) = left.pop() {
            if !seen.insert(ancestor) {
                continue;
            }
            if holds(ancestor) {
                return true;
            }
            left.extend(self.parents(ancestor));
        }
        false
    }
}

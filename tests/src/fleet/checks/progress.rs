//! What must show in the records and the lease table together.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::records::Handled;
use super::{none, order};
use crate::fleet::ledger::Ledger;
use crate::fleet::log::Reposition;

/// Nobody handled a record that was stored as handled whenever it took the shard, unless it moved the
/// shard itself, or found a cursor there: somebody else had. `owners` are the instances' names in the
/// table, by their places.
///
/// # Errors
///
/// Who did.
pub fn stored_stays_handled(
    handled: &[Handled],
    ledger: &Ledger,
    repositions: &[Reposition],
    owners: &BTreeMap<usize, String>,
) -> Result<(), String> {
    // The least an owner found at a shard: what it was delivered then it may handle later.
    let mut found: BTreeMap<(&str, &str), Option<&str>> = BTreeMap::new();
    for write in ledger.applied() {
        let (before, after) = (&write.before, &write.after);
        let Some(owner) = after
            .owner
            .as_deref()
            .filter(|_| after.owner != before.owner)
        else {
            continue;
        };
        let checkpoint = before.checkpoint.as_deref();
        let checkpoint = checkpoint.filter(|_| before.cursor.is_none());
        let least = found.entry((owner, &write.shard)).or_insert(checkpoint);
        if let (Some(known), Some(new)) = (*least, checkpoint) {
            *least = Some(if order(new, known) == Ordering::Less {
                new
            } else {
                known
            });
        } else {
            *least = None;
        }
    }
    let moved: BTreeSet<_> = repositions
        .iter()
        .map(|moved| (moved.by, &*moved.shard))
        .collect();
    let mut wrong = Vec::new();
    for (by, record) in handled {
        let owner = owners.get(by).map(String::as_str).unwrap_or_default();
        let what = match found.get(&(owner, &*record.shard)) {
            None => "which it never took".to_owned(),
            Some(Some(stored))
                if order(&record.sequence, stored) != Ordering::Greater
                    && !moved.contains(&(*by, &*record.shard)) =>
            {
                format!("which it took after {stored}")
            }
            Some(_) => continue,
        };
        wrong.push(format!(
            "instance {by} ({owner}) handled {} of {}, {what}",
            record.sequence, record.shard
        ));
    }
    none(&wrong)
}

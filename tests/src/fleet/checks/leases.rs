//! What must show in the lease table.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{none, order};
use crate::fleet::ledger::{Ledger, RowWrite};
use crate::fleet::log::Reposition;

/// No value of a row's fencing counter was seen with two owners, and each write counted it up.
///
/// # Errors
///
/// Where it was not so.
pub fn counters_fence(ledger: &Ledger) -> Result<(), String> {
    let mut owners: BTreeMap<(&str, u64), &str> = BTreeMap::new();
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for write in ledger.applied() {
        let shard = &*write.shard;
        let Some(counter) = write.after.counter else {
            wrong.push(format!("{shard}: a write left no fencing counter"));
            continue;
        };
        if let Some(last) = last.insert(shard, counter)
            && counter <= last
        {
            wrong.push(format!(
                "{shard}: the fencing counter went from {last} to {counter} by a write of {:?}",
                write.writer
            ));
        }
        if let Some(owner) = &write.after.owner
            && let Some(other) = owners.insert((shard, counter), owner)
            && other != owner
        {
            wrong.push(format!(
                "{shard}: {other} and {owner} held it under one fencing counter, {counter}"
            ));
        }
    }
    none(&wrong)
}

/// Within one reposition no row's checkpoint went back. A cursor in the row begins another; so does
/// a shard that its owner moved, once for each time, since a checkpoint may come before the cursor.
///
/// # Errors
///
/// Where one did.
pub fn checkpoints_advance(ledger: &Ledger, repositions: &[Reposition]) -> Result<(), String> {
    let mut reached: BTreeMap<&str, &str> = BTreeMap::new();
    let mut moved: Vec<_> = repositions.iter().collect();
    let mut wrong = Vec::new();
    for write in ledger.applied() {
        let (before, after) = (&write.before, &write.after);
        if after.cursor.is_some() && after.cursor != before.cursor {
            reached.remove(&*write.shard);
            continue;
        }
        let Some(stored) = &after.checkpoint else {
            if before.checkpoint.is_some() {
                wrong.push(format!("{}: its checkpoint was deleted", write.shard));
            }
            continue;
        };
        let is_checkpoint = after.checkpoint != before.checkpoint || after.cursor != before.cursor;
        if !is_checkpoint {
            continue;
        }
        if let Some(reached) = reached.insert(&write.shard, stored)
            && order(reached, stored) == Ordering::Greater
        {
            if let Some(of) = moved.iter().position(|moved| moves(moved, write)) {
                moved.swap_remove(of);
                continue;
            }
            wrong.push(format!(
                "{}: its checkpoint went back from {reached} to {stored} by a write of {:?}",
                write.shard, write.writer
            ));
        }
    }
    none(&wrong)
}

/// Whether that write may be the first since that reposition.
fn moves(moved: &Reposition, write: &RowWrite) -> bool {
    let writer = write.writer.as_ref().and_then(|of| of.rsplit_once('/'));
    moved.shard == write.shard
        && moved.asked <= write.at
        && writer.is_some_and(|(name, _)| name == moved.owner_id)
}

/// Nobody wrote to a row that another held, unless it took the lease.
///
/// # Errors
///
/// Who did.
pub fn only_owners_write(ledger: &Ledger) -> Result<(), String> {
    let mut wrong = Vec::new();
    for write in ledger.applied() {
        let takes = write.after.owner.is_some() && write.after.owner == write.writer;
        if !takes && write.writer != write.before.owner {
            wrong.push(format!(
                "{}: {:?} wrote to it while {:?} held it",
                write.shard, write.writer, write.before.owner
            ));
        }
    }
    none(&wrong)
}

/// No lease was taken from another owner before it was over, by the clock of the table's service.
///
/// # Errors
///
/// Which was.
pub fn live_leases_stay(ledger: &Ledger) -> Result<(), String> {
    let mut wrong = Vec::new();
    for write in ledger.applied() {
        let (before, after) = (&write.before, &write.after);
        let (Some(owner), Some(taker)) = (&before.owner, &after.owner) else {
            continue;
        };
        if owner == taker || before.expiry.is_some_and(|expiry| expiry <= write.date) {
            continue;
        }
        wrong.push(format!(
            "{}: {taker} took the lease of {owner} at {}, which was to end at {:?}",
            write.shard, write.date, before.expiry
        ));
    }
    none(&wrong)
}

//! What every run must show, whatever happened in it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Duration;

use ruststream_kinesis::SHARD_END;

use super::event::Record;
use super::ledger::Ledger;
use super::load::Published;

/// What one instance handled, by its place in the fleet.
pub type Handled = (usize, Record);

/// A record that was handled again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The record's key.
    pub key: String,
    /// Its number among those of its key.
    pub number: u64,
    /// Who handled it before.
    pub first: usize,
    /// Who handled it again.
    pub again: usize,
    /// How much later.
    pub after: Duration,
}

/// Every record that was published was handled.
///
/// # Errors
///
/// Which were not, and which were handled that nobody published.
pub fn nothing_lost(published: &Published, handled: &[Handled]) -> Result<(), String> {
    let mut seen: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for (key, count) in &published.0 {
        let count = usize::try_from(*count).unwrap_or(usize::MAX);
        seen.insert(key, vec![false; count]);
    }
    let mut wrong = Vec::new();
    for (_, record) in handled {
        let number = usize::try_from(record.number).unwrap_or(usize::MAX);
        let place = seen.get_mut(&*record.key).and_then(|of| of.get_mut(number));
        match place {
            Some(place) => *place = true,
            None => wrong.push(format!(
                "record {} of '{}' was handled and never published",
                record.number, record.key
            )),
        }
    }
    for (key, seen) in &seen {
        let lost = seen.iter().enumerate().filter(|(_, seen)| !**seen);
        let lost: Vec<_> = lost.map(|(number, _)| number.to_string()).collect();
        if !lost.is_empty() {
            wrong.push(format!(
                "lost of '{key}', {} of {}: {}",
                lost.len(),
                seen.len(),
                lost.join(" ")
            ));
        }
    }
    none(&wrong)
}

/// Each key's records were handled for the first time in their order.
///
/// # Errors
///
/// Which were not.
pub fn keys_in_order(handled: &[Handled]) -> Result<(), String> {
    let mut firsts: BTreeMap<&str, BTreeMap<u64, &Handled>> = BTreeMap::new();
    for entry in handled {
        let of_key = firsts.entry(&entry.1.key).or_default();
        let first = of_key.entry(entry.1.number).or_insert(entry);
        if entry.1.at < first.1.at {
            *first = entry;
        }
    }
    let mut wrong = Vec::new();
    for (key, firsts) in &firsts {
        for ((_, (by, earlier)), (_, (then, later))) in firsts.iter().zip(firsts.iter().skip(1)) {
            if later.at < earlier.at {
                wrong.push(format!(
                    "record {} of '{key}' was handled by instance {then} from {}, {:?} before record \
                     {} was by instance {by} from {}",
                    later.number,
                    later.shard,
                    earlier.at.saturating_sub(later.at),
                    earlier.number,
                    earlier.shard,
                ));
            }
        }
    }
    none(&wrong)
}

/// The records that were handled more than once.
#[must_use]
pub fn duplicates(handled: &[Handled]) -> Vec<Duplicate> {
    let mut by_time: Vec<_> = handled.iter().collect();
    by_time.sort_by_key(|(_, record)| record.at);
    let mut firsts: BTreeMap<(&str, u64), &Handled> = BTreeMap::new();
    let mut duplicates = Vec::new();
    for entry in by_time {
        let (again, record) = entry;
        let first = *firsts.entry((&record.key, record.number)).or_insert(entry);
        if !std::ptr::eq(first, entry) {
            duplicates.push(Duplicate {
                key: record.key.clone(),
                number: record.number,
                first: first.0,
                again: *again,
                after: record.at.saturating_sub(first.1.at),
            });
        }
    }
    duplicates
}

/// How many records were handled again, by who did before and who did again.
#[must_use]
pub fn duplicates_between(duplicates: &[Duplicate]) -> BTreeMap<(usize, usize), usize> {
    let mut between = BTreeMap::new();
    for Duplicate { first, again, .. } in duplicates {
        *between.entry((*first, *again)).or_default() += 1;
    }
    between
}

/// Nothing was handled again but what `allowed` accepts.
///
/// # Errors
///
/// How many were, and between whom.
pub fn handled_once(
    handled: &[Handled],
    allowed: impl Fn(&Duplicate) -> bool,
) -> Result<(), String> {
    let mut wrong = duplicates(handled);
    wrong.retain(|duplicate| !allowed(duplicate));
    let between: Vec<_> = duplicates_between(&wrong)
        .into_iter()
        .map(|((first, again), count)| {
            format!("{count} records of instance {first} were handled again by instance {again}")
        })
        .collect();
    none(&between).map_err(|what| format!("{what}, such as {:?}", wrong.first()))
}

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

/// Within one reposition no row's checkpoint went back; a cursor in the row begins another.
///
/// # Errors
///
/// Where one did.
pub fn checkpoints_advance(ledger: &Ledger) -> Result<(), String> {
    let mut reached: BTreeMap<&str, &str> = BTreeMap::new();
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
            wrong.push(format!(
                "{}: its checkpoint went back from {reached} to {stored} by a write of {:?}",
                write.shard, write.writer
            ));
        }
    }
    none(&wrong)
}

/// Nobody wrote to a row that another held.
///
/// # Errors
///
/// Who did.
pub fn only_owners_write(ledger: &Ledger) -> Result<(), String> {
    let mut wrong = Vec::new();
    for write in ledger.applied() {
        let takes = write.after.owner != write.before.owner && write.after.owner == write.writer;
        if !takes && write.writer.is_some() && write.writer != write.before.owner {
            wrong.push(format!(
                "{}: {:?} wrote to it while {:?} held it",
                write.shard, write.writer, write.before.owner
            ));
        }
    }
    none(&wrong)
}

/// Which of two checkpoints is further: numbers of any length, below the end of a shard.
fn order(a: &str, b: &str) -> Ordering {
    let place = |checkpoint: &str| {
        let digits = checkpoint.trim_start_matches('0').to_owned();
        (checkpoint == SHARD_END, digits.len(), digits)
    };
    place(a).cmp(&place(b))
}

fn none(wrong: &[String]) -> Result<(), String> {
    /// How many are told; the rest is counted.
    const TOLD: usize = 20;
    if wrong.is_empty() {
        return Ok(());
    }
    let mut told = wrong.iter().take(TOLD).cloned().collect::<Vec<_>>();
    if wrong.len() > TOLD {
        told.push(format!("and {} more", wrong.len() - TOLD));
    }
    Err(told.join("\n"))
}

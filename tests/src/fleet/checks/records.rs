//! What must show in the records that were handled.

use std::collections::BTreeMap;
use std::time::Duration;

use super::none;
use crate::fleet::event::Record;
use crate::fleet::load::Published;
use crate::fleet::log::Reposition;

/// What one instance handled, by its place in the fleet.
pub type Handled = (usize, Record);

/// A record that was handled again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The record's key.
    pub key: String,
    /// Its number among those of its key.
    pub number: u64,
    /// The shard it was read from.
    pub shard: String,
    /// Who handled it last before that.
    pub before: usize,
    /// Who handled it again.
    pub again: usize,
    /// When.
    pub at: Duration,
    /// How much later than the last time.
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

/// Each time a record was handled but its first, in the order of time.
#[must_use]
pub fn duplicates(handled: &[Handled]) -> Vec<Duplicate> {
    let mut by_time: Vec<_> = handled.iter().collect();
    by_time.sort_by_key(|(_, record)| record.at);
    let mut last: BTreeMap<(&str, u64), &Handled> = BTreeMap::new();
    let mut duplicates = Vec::new();
    for entry in by_time {
        let (again, record) = entry;
        if let Some((before, last)) = last.insert((&record.key, record.number), entry) {
            duplicates.push(Duplicate {
                key: record.key.clone(),
                number: record.number,
                shard: record.shard.clone(),
                before: *before,
                again: *again,
                at: record.at,
                after: record.at.saturating_sub(last.at),
            });
        }
    }
    duplicates
}

/// How many records were handled again, by who did before and who did again.
#[must_use]
pub fn duplicates_between(duplicates: &[Duplicate]) -> BTreeMap<(usize, usize), usize> {
    let mut between = BTreeMap::new();
    for Duplicate { before, again, .. } in duplicates {
        *between.entry((*before, *again)).or_default() += 1;
    }
    between
}

/// Nothing was handled again but what `allowed` accepts and what was read again from another place:
/// each reposition of a shard lets each of its records be handled once more, by whoever reads it, from
/// when it was asked for.
///
/// # Errors
///
/// How many were, and between whom.
pub fn handled_once(
    handled: &[Handled],
    repositions: &[Reposition],
    allowed: impl Fn(&Duplicate) -> bool,
) -> Result<(), String> {
    let mut asked: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for Reposition {
        shard, asked: at, ..
    } in repositions
    {
        asked.entry(shard).or_default().push(*at);
    }
    let mut replayed: BTreeMap<(String, u64), usize> = BTreeMap::new();
    let mut wrong = duplicates(handled);
    wrong.retain(|again| {
        if allowed(again) {
            return false;
        }
        let replays = asked.get(&*again.shard).map_or(0, |asked| {
            asked.iter().filter(|at| **at <= again.at).count()
        });
        let replayed = replayed
            .entry((again.key.clone(), again.number))
            .or_default();
        let is_replay = *replayed < replays;
        *replayed += usize::from(is_replay);
        !is_replay
    });
    let between: Vec<_> = duplicates_between(&wrong)
        .into_iter()
        .map(|((before, again), count)| {
            format!("{count} records of instance {before} were handled again by instance {again}")
        })
        .collect();
    none(&between).map_err(|what| format!("{what}, such as {:?}", wrong.first()))
}

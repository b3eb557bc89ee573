//! What every run must show, whatever happened in it.

mod leases;
mod progress;
mod records;

pub use leases::{checkpoints_advance, counters_fence, live_leases_stay, only_owners_write};
pub use progress::stored_stays_handled;
pub use records::{
    Duplicate, Handled, duplicates, duplicates_between, handled_once, keys_in_order, nothing_lost,
};

use std::cmp::Ordering;

use ruststream_kinesis::SHARD_END;

use super::ledger::Ledger;
use super::log::Reposition;

/// What the lease table must show in every run.
///
/// # Errors
///
/// What it does not.
pub fn leases(ledger: &Ledger, repositions: &[Reposition]) -> Result<(), String> {
    all([
        counters_fence(ledger),
        checkpoints_advance(ledger, repositions),
        only_owners_write(ledger),
        live_leases_stay(ledger),
    ])
}

/// All of these.
///
/// # Errors
///
/// Those of them that failed, one after the other.
pub fn all(found: impl IntoIterator<Item = Result<(), String>>) -> Result<(), String> {
    let found: Vec<_> = found.into_iter().filter_map(Result::err).collect();
    if found.is_empty() {
        return Ok(());
    }
    Err(found.join("\n"))
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

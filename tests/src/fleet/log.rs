//! What an instance logs.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::event::clock;

/// The log of one instance; what reads it goes on when the instance is gone.
#[derive(Debug, Clone)]
pub(super) struct Log(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    place: usize,
    owner_id: String,
    lines: Vec<Line>,
    /// When the instance was last told where to read from.
    asked: Duration,
}

#[derive(Debug)]
struct Line {
    text: String,
    asked: Duration,
}

/// A shard that an instance reads from another place than the one its row said. Each of its records
/// may be handled once more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reposition {
    /// The instance's place in the fleet.
    pub by: usize,
    /// Its name in the table.
    pub owner_id: String,
    /// The shard.
    pub shard: String,
    /// When that was asked for: the command, or the start with a position.
    pub asked: Duration,
}

impl Log {
    pub(super) fn new(place: usize, owner_id: &str) -> Self {
        Self(Arc::new(Mutex::new(Kept {
            place,
            owner_id: owner_id.to_owned(),
            lines: Vec::new(),
            asked: clock(),
        })))
    }

    /// The instance is about to be told where to read from.
    pub(super) fn asked(&self) {
        self.kept().asked = clock();
    }

    pub(super) fn note(&self, text: String) {
        let mut kept = self.kept();
        let asked = kept.asked;
        kept.lines.push(Line { text, asked });
    }

    /// All of it, each line with the instance's place.
    pub(super) fn text(&self) -> String {
        let kept = self.kept();
        let mut text = String::new();
        for line in &kept.lines {
            // Writing to a string does not fail.
            let _ = writeln!(text, "[{}] {}", kept.place, line.text);
        }
        text
    }

    /// The instance's place in the fleet.
    pub(super) fn place(&self) -> usize {
        self.kept().place
    }

    /// Whether it lost a lease that it held.
    pub(super) fn lost_a_lease(&self) -> bool {
        let kept = self.kept();
        let mut lines = kept.lines.iter();
        lines.any(|line| line.text.contains("lease lost"))
    }

    /// The owner it is in the table, as it logs that with each shard it takes.
    pub(super) fn owner(&self) -> Option<String> {
        let kept = self.kept();
        let mut lines = kept.lines.iter();
        lines.find_map(|line| {
            let is_take = line.text.contains("shard taken");
            is_take.then(|| field(&line.text, "owner"))?
        })
    }

    /// The shards it moved, once for each time.
    pub(super) fn repositions(&self) -> Vec<Reposition> {
        let kept = self.kept();
        let moved = kept.lines.iter().filter_map(|Line { text, asked }| {
            let moves = text.contains("shard repositioned")
                || text.contains("shard taken") && text.contains("repositioned=true");
            moves.then_some(Reposition {
                by: kept.place,
                owner_id: kept.owner_id.clone(),
                shard: field(text, "shard")?,
                asked: *asked,
            })
        });
        moved.collect()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The text of a line's field.
fn field(line: &str, name: &str) -> Option<String> {
    let (_, value) = line.split_once(&format!(" {name}=\""))?;
    value.split_once('"').map(|(value, _)| value.to_owned())
}

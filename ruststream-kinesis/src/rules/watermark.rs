//! How far a shard is settled: the longest prefix of delivered records with no gap.
//!
//! Records are counted, not kept. Each delivered record has an ordinal, 0, 1, 2 .. in shard order.
//! What settles out of order is held as ranges, so one record that stays unhandled while a million
//! after it settle costs a single range:
//!
//! ```text
//! ordinal   0 1 2 3 4 5 6 7 8        settled_through = 3, position = sequence of 2
//! settled   x x x . x x x . x        ahead = { 4..7, 8..9 }
//! ```

use std::collections::BTreeMap;

/// The settled prefix of one shard, from the position its reader opened at.
#[derive(Debug, Default)]
pub(crate) struct Watermark {
    reserved: u64,
    settled_through: u64,
    position: Option<String>,
    /// Settled ranges past the prefix, by first ordinal; never empty, adjacent or overlapping.
    ahead: BTreeMap<u64, Ahead>,
}

#[derive(Debug)]
struct Ahead {
    /// The ordinal after the last of the range.
    end: u64,
    /// The sequence number of the range's last record.
    sequence: String,
}

impl Watermark {
    /// Gives the next `records` records their ordinals and answers the first.
    pub(crate) const fn reserve(&mut self, records: u64) -> u64 {
        let first = self.reserved;
        self.reserved += records;
        first
    }

    /// Marks a record settled; `true` when the prefix grew.
    ///
    /// An ordinal settled before, dropped by [`reset`](Self::reset) or never reserved changes
    /// nothing.
    pub(crate) fn settle(&mut self, ordinal: u64, sequence: &str) -> bool {
        if ordinal < self.settled_through || ordinal >= self.reserved {
            return false;
        }
        if ordinal > self.settled_through {
            self.settle_ahead(ordinal, sequence);
            return false;
        }
        self.settled_through += 1;
        // One call per settled record: the string is reused.
        let position = self.position.get_or_insert_default();
        position.clear();
        position.push_str(sequence);
        // Ranges never touch, so at most one of them begins where the prefix now ends.
        if let Some(next) = self.ahead.first_entry()
            && *next.key() == self.settled_through
        {
            let next = next.remove();
            self.settled_through = next.end;
            self.position = Some(next.sequence);
        }
        true
    }

    fn settle_ahead(&mut self, ordinal: u64, sequence: &str) {
        let before = self.ahead.range(..=ordinal).next_back();
        if before.is_some_and(|(_, range)| ordinal < range.end) {
            return;
        }
        let end = ordinal + 1;
        let range = self.ahead.remove(&end).unwrap_or_else(|| Ahead {
            end,
            sequence: sequence.to_owned(),
        });
        match self.ahead.range_mut(..ordinal).next_back() {
            Some((_, before)) if before.end == ordinal => *before = range,
            _ => {
                self.ahead.insert(ordinal, range);
            }
        }
    }

    /// The sequence number of the last record of the prefix; `None` while it is empty.
    pub(crate) fn position(&self) -> Option<&str> {
        self.position.as_deref()
    }

    /// The ordinal after the settled prefix: that of the first record not settled, and the next to
    /// be reserved when all are.
    pub(crate) const fn settled_through(&self) -> u64 {
        self.settled_through
    }

    /// How many delivered records are not settled.
    pub(crate) fn unsettled(&self) -> u64 {
        let ahead: u64 = self
            .ahead
            .iter()
            .map(|(start, range)| range.end - start)
            .sum();
        self.reserved - self.settled_through - ahead
    }

    /// Whether every delivered record is settled.
    pub(crate) const fn is_complete(&self) -> bool {
        self.settled_through == self.reserved
    }

    /// How many separate ranges are held past the prefix: the measure of this value's memory.
    #[cfg(test)]
    pub(crate) fn ranges_held(&self) -> usize {
        self.ahead.len()
    }

    /// Forgets what was delivered, for a reposition.
    ///
    /// Ordinals go on from where they were, so a record delivered before can no longer move
    /// anything.
    pub(crate) fn reset(&mut self) {
        self.settled_through = self.reserved;
        self.position = None;
        self.ahead.clear();
    }
}

//! Where a shard opens, so that nothing between the tip of the subscription's opening and now is
//! skipped.

use super::cursor::Cursor;
use super::cursor_text;
use super::seen_row::{SHARD_END, SeenRow, SeenRows};
use super::shard_graph::ShardId;

/// What is known of a shard that is about to be taken.
#[derive(Debug, Clone)]
pub(crate) struct Prospect {
    /// Whether the shard was listed as open, so that it cannot be finished.
    pub(crate) open: bool,
    /// The parents that have aged out of the listing; a row that says they were read to their end
    /// makes the shard one that is followed.
    pub(crate) unlisted_parents: Vec<ShardId>,
    /// The ancestors that are gone from the stream without being known as finished: while another
    /// instance is at what it read of one, the shard is not taken.
    pub(crate) gone: Vec<ShardId>,
    /// The listed children, whose progress would imply that the shard is finished.
    pub(crate) children: Vec<ShardId>,
    /// A position this subscription took for the shard, which wins over the row.
    pub(crate) repositioned: Option<Cursor>,
    /// Where an earlier reader of this subscription opened without progress since.
    pub(crate) remembered: Option<Cursor>,
    /// The subscription's stream-wide position, if it took one.
    pub(crate) stream_wide: Option<Cursor>,
    /// Whether the shard existed when the subscription opened, or last took a position.
    pub(crate) existed: bool,
    /// Whether the shard's parents were followed to their end under these leases.
    pub(crate) followed: bool,
    pub(crate) tip: Tip,
}

/// The instant the subscription opened, in milliseconds since the epoch by the service's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tip {
    /// It is opening: the tip is still that instant.
    Now(u64),
    /// It opened then.
    Then(u64),
}

/// What else than a row it takes to tell where a shard is read from.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// Whether the shard is open by a listing made since the row was seen: the one it was taken
    /// from may be older than the mark of its end.
    pub(crate) still_open: bool,
    /// The rows of the children and the unlisted parents.
    pub(crate) family: SeenRows,
}

/// Where a shard is to be read from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) cursor: Cursor,
    /// Whether its row is still to be told.
    pub(crate) unkept: bool,
    /// Whether the row's mark of the end belongs to another shard than the one that is there.
    pub(crate) stale_end: bool,
}

impl Prospect {
    /// Whether it takes a listing to tell where the shard is read from, as `row` has it.
    pub(crate) fn wants_listing(&self, row: &SeenRow) -> bool {
        self.open && self.is_ended(row)
    }

    /// The shards whose rows it takes to tell that.
    pub(crate) fn wants_rows(&self, row: &SeenRow) -> Vec<ShardId> {
        if self.ignores_row() || !row.is_silent() {
            return Vec::new();
        }
        let family = self.children.iter().chain(&self.unlisted_parents);
        family.cloned().collect()
    }

    fn is_ended(&self, row: &SeenRow) -> bool {
        let cursor = row.cursor.as_deref().and_then(cursor_text::read);
        !self.ignores_row() && cursor.is_none() && row.checkpoint.as_deref() == Some(SHARD_END)
    }

    /// Where the shard is to be read from; nothing where it was read to its end.
    pub(crate) fn place(&self, row: &SeenRow, evidence: &Evidence) -> Option<Place> {
        let ignored = SeenRow::default();
        let row = if self.ignores_row() { &ignored } else { row };
        let stale_end = self.is_ended(row);
        if stale_end && !evidence.still_open {
            return None;
        }
        let mut prospect = self.clone();
        // All that the stream holds is newer than what was handled of the one before it.
        prospect.followed |= row.stale;
        if row.is_silent() && !self.ignores_row() {
            let row_of = |shard: &ShardId| evidence.family.get(shard);
            // A child with progress was started when this shard had been read to its end.
            let mut children = self.children.iter().filter_map(row_of);
            if children.any(|row| row.checkpoint.is_some()) {
                return None;
            }
            // One that aged out half read was followed as well: what its child holds is newer.
            let mut parents = self.unlisted_parents.iter().filter_map(row_of);
            prospect.followed |= parents.any(|row| !row.is_silent());
        }
        let stored = if stale_end {
            Some(Cursor::Horizon)
        } else {
            row.cursor.as_deref().and_then(cursor_text::read)
        };
        Some(Place {
            cursor: prospect.cursor(stored.as_ref(), row.checkpoint.as_deref()),
            unkept: row.is_silent(),
            stale_end,
        })
    }

    /// Whether a position of this subscription wins over the shard's row.
    pub(crate) const fn ignores_row(&self) -> bool {
        self.repositioned.is_some()
    }

    /// Where the shard opens, given its row's cursor and checkpoint.
    pub(crate) fn cursor(&self, stored: Option<&Cursor>, checkpoint: Option<&str>) -> Cursor {
        if let Some(cursor) = &self.repositioned {
            return cursor.clone();
        }
        if let Some(cursor) = stored {
            return cursor.clone();
        }
        if let Some(sequence) = checkpoint {
            return Cursor::After(sequence.to_owned());
        }
        if let Some(cursor) = &self.remembered {
            return cursor.clone();
        }
        match &self.stream_wide {
            Some(cursor @ Cursor::Timestamp(_)) => cursor.clone(),
            // All that a shard born after the position holds is newer than the position.
            Some(_) if !self.existed => Cursor::Horizon,
            Some(cursor) => cursor.clone(),
            None if self.followed || !self.existed => Cursor::Horizon,
            None => match self.tip {
                Tip::Now(_) => Cursor::Tip,
                Tip::Then(at) => Cursor::Timestamp(at),
            },
        }
    }

    /// What a row keeps of a shard that is about to open at `cursor`: the tip is a moment.
    pub(crate) fn kept(&self, cursor: &Cursor) -> Cursor {
        match (cursor, self.tip) {
            (Cursor::Tip, Tip::Now(at) | Tip::Then(at)) => Cursor::Timestamp(at),
            (cursor, _) => cursor.clone(),
        }
    }
}

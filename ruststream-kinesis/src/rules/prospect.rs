//! Where a shard opens, so that nothing between the tip of the subscription's opening and now is
//! skipped.

use super::cursor::Cursor;
use super::shard_graph::ShardId;

/// What is known of a shard that is about to be taken.
#[derive(Debug, Clone)]
pub(crate) struct Prospect {
    /// Whether the shard was listed as open, so that it cannot be finished.
    pub(crate) open: bool,
    /// The parents that have aged out of the listing; a row that says they were read to their end
    /// makes the shard one that is followed.
    pub(crate) unlisted_parents: Vec<ShardId>,
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

impl Prospect {
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

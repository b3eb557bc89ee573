//! How far one shard's records are handled, and what of that the store knows.

use std::time::{Duration, Instant};

use crate::rules::cursor::Cursor;
use crate::rules::watermark::Watermark;

/// The bookkeeping of one shard, behind one lock.
#[derive(Default)]
pub(super) struct Progress {
    /// Counts repositions; changes only under the lock.
    generation: u64,
    watermark: Watermark,
    /// The checkpoint in the store, empty where there is none.
    checkpoint: String,
    /// The buffer of the checkpoint before it, for the next one.
    spare: String,
    /// The ordinal up to which the store has the checkpoint.
    stored_through: u64,
    /// Whether a checkpoint was stored in this generation.
    progressed: bool,
    /// Blocks with deliveries that still exist, of every generation.
    alive: u64,
    /// Whether the shard was read to its end, and the reader waits for the last settlement.
    ended: bool,
    /// The oldest unsettled record when the watermark was last looked at, and since when.
    held: Option<(u64, Instant)>,
    /// A position the store does not know of yet; a checkpoint makes it moot.
    unstored_position: Option<Cursor>,
    /// How far behind the tip the last read was, and when that was.
    pub(super) last_read: Option<(Duration, Instant)>,
    pub(super) reposition: Option<Opened>,
    /// Whether the mark of the shard's end was sent to the store in this generation.
    pub(super) finishing: bool,
    pub(super) holding: Holding,
}

/// Whether this process may still write the shard's checkpoint.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holding {
    #[default]
    Held,
    /// The lease is gone, and the record will be read again.
    Lost,
    /// Read to its end: everything that counts is settled.
    Finished,
    /// The broker is shut down.
    Closed,
}

/// An iterator that a reader goes on with.
pub(crate) struct Opened {
    pub(crate) cursor: Cursor,
    pub(crate) iterator: String,
    /// When it was made, in milliseconds since the epoch by the service's clock.
    pub(crate) made_at: u64,
}

impl Opened {
    /// The place it stands for, which for the tip is the moment it was made.
    pub(super) fn origin(&self) -> Cursor {
        match &self.cursor {
            Cursor::Tip => Cursor::Timestamp(self.made_at),
            cursor => cursor.clone(),
        }
    }
}

/// A record's place in its shard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticket {
    pub(crate) generation: u64,
    pub(crate) ordinal: u64,
}

/// A checkpoint the store does not have yet.
pub(super) struct Unstored {
    generation: u64,
    /// The ordinal it covers everything before.
    through: u64,
    pub(super) sequence: String,
}

/// What a settled record calls for.
pub(super) struct Moved {
    /// The ordinal a checkpoint must cover for this record to be stored.
    pub(super) through: u64,
    /// Whether the shard has ended and this was its last record.
    pub(super) last: bool,
}

impl Progress {
    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) const fn progressed(&self) -> bool {
        self.progressed
    }

    pub(super) fn unsettled(&self) -> u64 {
        self.watermark.unsettled()
    }

    pub(super) const fn is_idle(&self) -> bool {
        self.alive == 0
    }

    /// Nothing is written any more.
    pub(super) fn end_holding(&mut self, shutdown: bool) {
        self.holding = match self.holding {
            _ if shutdown => Holding::Closed,
            Holding::Held => Holding::Lost,
            over => over,
        };
    }

    /// Gives `records` their ordinals and answers the first; nothing where the page is stale.
    pub(super) fn admit(&mut self, generation: u64, records: u64, now: Instant) -> Option<u64> {
        if self.generation != generation || self.holding != Holding::Held {
            return None;
        }
        let first = self.watermark.reserve(records);
        self.observe(now);
        Some(first)
    }

    /// The first record of a block is delivered.
    pub(super) const fn begin_block(&mut self) {
        self.alive += 1;
    }

    /// The last delivery of a block is gone.
    pub(super) const fn end_block(&mut self) {
        self.alive -= 1;
    }

    /// Marks a record handled; nothing where that moves nothing.
    pub(super) fn settle(&mut self, ticket: Ticket, sequence: &str) -> Option<Moved> {
        if self.generation != ticket.generation || !self.watermark.settle(ticket.ordinal, sequence)
        {
            return None;
        }
        Some(Moved {
            through: self.watermark.settled_through(),
            last: self.ended && self.watermark.is_complete(),
        })
    }

    /// Tells that the shard was read to its end in `generation`; answers whether everything is
    /// settled.
    pub(super) fn end(&mut self, generation: u64) -> bool {
        if self.generation != generation {
            return false;
        }
        self.ended = true;
        self.watermark.is_complete()
    }

    /// Begins a new generation at `position`: what was delivered before moves nothing any more.
    pub(super) fn restart(&mut self, position: Cursor) {
        self.unstored_position = Some(position);
        self.generation += 1;
        self.watermark.reset();
        self.stored_through = self.watermark.settled_through();
        self.progressed = false;
        self.ended = false;
        self.finishing = false;
        self.held = None;
    }

    /// Whether the watermark is past what the store has.
    pub(super) const fn is_unstored(&self) -> bool {
        self.watermark.settled_through() > self.stored_through
    }

    pub(super) fn unstored(&mut self) -> Option<Unstored> {
        if !self.is_unstored() {
            return None;
        }
        let position = self.watermark.position()?;
        let mut sequence = std::mem::take(&mut self.spare);
        sequence.clear();
        sequence.push_str(position);
        Some(Unstored {
            generation: self.generation,
            through: self.watermark.settled_through(),
            sequence,
        })
    }

    /// What is unstored, unless everything of `generation` up to `through` is stored already.
    pub(super) fn unstored_before(&mut self, generation: u64, through: u64) -> Option<Unstored> {
        if self.generation != generation || self.stored_through >= through {
            return None;
        }
        self.unstored()
    }

    pub(super) const fn has_unstored_position(&self) -> bool {
        self.unstored_position.is_some()
    }

    pub(super) fn unstored_position(&self) -> Option<(u64, Cursor)> {
        Some((self.generation, self.unstored_position.clone()?))
    }

    /// The store knows of the position that began `generation`.
    pub(super) fn position_stored(&mut self, generation: u64) {
        if self.generation == generation {
            self.unstored_position = None;
        }
    }

    /// The store has it.
    pub(super) fn stored(&mut self, unstored: Unstored) {
        if self.generation == unstored.generation {
            self.stored_through = self.stored_through.max(unstored.through);
            self.progressed = true;
            self.unstored_position = None;
        }
        self.spare = std::mem::replace(&mut self.checkpoint, unstored.sequence);
    }

    /// The store had that checkpoint when the lease was taken.
    pub(super) fn found(&mut self, checkpoint: Option<String>) {
        self.checkpoint = checkpoint.unwrap_or_default();
    }

    /// The checkpoint in the store.
    pub(super) fn checkpoint(&self) -> Option<&str> {
        Some(&*self.checkpoint).filter(|sequence| !sequence.is_empty())
    }

    /// Looks which record is the oldest unsettled one.
    pub(super) fn observe(&mut self, now: Instant) {
        if self.watermark.is_complete() {
            self.held = None;
            return;
        }
        let oldest = self.watermark.settled_through();
        if self.held.is_none_or(|(ordinal, _)| ordinal != oldest) {
            self.held = Some((oldest, now));
        }
    }

    /// How long the watermark has waited for the record it waits for.
    pub(super) fn held_for(&self, now: Instant) -> Option<Duration> {
        let (ordinal, since) = self.held?;
        (ordinal == self.watermark.settled_through() && !self.watermark.is_complete())
            .then(|| now.saturating_duration_since(since))
    }
}

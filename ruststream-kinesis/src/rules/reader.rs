//! The reader of one shard.
//!
//! ```text
//!            opened                       page, more to come
//!  Closed ───────────► Open(iterator) ─────────────────────► Open(next iterator)
//!    ▲                   │    │                                │
//!    └── iterator gone ──┘    └── page without a next one, ──► Ended
//!                                 or the shard is gone
//!
//!  repositioned: any state ─► Open(the seek's iterator)
//! ```
//!
//! Whatever happens, the reader opens again after the last record it handed on, and before the
//! first one at the place it first opened at.

use std::time::{Duration, Instant};

use super::backoff;
use super::cursor::Cursor;
use super::pacing::Pacing;

/// The first pause before a failed iterator call is repeated.
const OPEN_RETRY_BASE: Duration = Duration::from_millis(200);
/// The longest. Source: `GetShardIterator` API reference, five calls a second per shard.
const OPEN_RETRY_LONGEST: Duration = Duration::from_secs(10);

/// What a reader does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Get an iterator there.
    Open(Cursor),
    /// Read a page with that iterator.
    Read(String),
    /// Nothing until then.
    Wait(Instant),
    /// The shard is read to its end.
    End,
}

/// What it means for the reader that a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Ask again, later: the service is asked too often, which is no error.
    Throttled,
    /// Ask again.
    Transient,
    /// The place is not in the shard, any more or ever.
    NoSuchPlace,
    /// The shard is not in the stream any more: nothing is left to read.
    Gone,
}

impl Refusal {
    /// Where a shard opens instead of `cursor` that this is the answer to: a record that is trimmed,
    /// or of another stream, is replaced by the horizon, once.
    pub(crate) fn instead_of(self, cursor: &Cursor) -> Option<Cursor> {
        let names_a_record = matches!(cursor, Cursor::After(_) | Cursor::At(_));
        (self == Self::NoSuchPlace && names_a_record).then_some(Cursor::Horizon)
    }
}

/// What a reader says about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// The first throttle of a streak of failures: log it.
    Throttled,
    /// The first of a streak that is not a throttle: report it.
    Report,
    /// The streak goes on.
    Quiet,
    /// The checkpoint is older than the retention: what was in between is lost.
    RestartedAtHorizon,
    /// The shard aged out of the stream: what was handed on is the last of it.
    Gone,
}

#[derive(Debug)]
enum State {
    Closed,
    Open(String),
    Ended,
}

/// What was said of the failures since the last success.
#[derive(Debug, Default)]
struct Streak {
    throttled: bool,
    reported: bool,
}

impl Streak {
    /// What to say of one more.
    const fn note(&mut self, refusal: Refusal) -> Note {
        let (said, note) = match refusal {
            Refusal::Throttled => (&mut self.throttled, Note::Throttled),
            Refusal::Transient | Refusal::NoSuchPlace => (&mut self.reported, Note::Report),
            Refusal::Gone => return Note::Gone,
        };
        if std::mem::replace(said, true) {
            Note::Quiet
        } else {
            note
        }
    }
}

/// The state of one shard's reader.
#[derive(Debug)]
pub(crate) struct Reader {
    state: State,
    /// Where the reader opens when it must open again.
    cursor: Cursor,
    pacing: Pacing,
    open_again_at: Option<Instant>,
    /// Iterators in a row that were not made.
    failures: u32,
    opening: Streak,
    reading: Streak,
}

impl Reader {
    /// A reader that was opened at `cursor` with `iterator`, made at `made_at` milliseconds since
    /// the epoch by the service's clock.
    pub(crate) fn new(
        cursor: Cursor,
        iterator: String,
        made_at: u64,
        poll_interval: Duration,
    ) -> Self {
        Self {
            state: State::Open(iterator),
            cursor: pinned(cursor, made_at),
            pacing: Pacing::new(poll_interval),
            open_again_at: None,
            failures: 0,
            opening: Streak::default(),
            reading: Streak::default(),
        }
    }

    /// What to do at `now`.
    pub(crate) fn action(&self, now: Instant) -> Action {
        match &self.state {
            State::Ended => Action::End,
            State::Closed => match self.open_again_at {
                Some(at) if at > now => Action::Wait(at),
                _ => Action::Open(self.cursor.clone()),
            },
            State::Open(iterator) => {
                let at = self.pacing.next_read(now);
                if at > now {
                    Action::Wait(at)
                } else {
                    Action::Read(iterator.clone())
                }
            }
        }
    }

    /// An iterator was made for the cursor.
    pub(crate) fn opened(&mut self, iterator: String, made_at: u64) {
        let cursor = std::mem::replace(&mut self.cursor, Cursor::Horizon);
        self.cursor = pinned(cursor, made_at);
        self.open_at(iterator);
    }

    fn open_at(&mut self, iterator: String) {
        self.state = State::Open(iterator);
        self.open_again_at = None;
        self.failures = 0;
        self.opening = Streak::default();
    }

    /// No iterator was made.
    pub(crate) fn not_opened(&mut self, refusal: Refusal, now: Instant, random: u64) -> Note {
        if let Some(instead) = refusal.instead_of(&self.cursor) {
            self.cursor = instead;
            return Note::RestartedAtHorizon;
        }
        if refusal == Refusal::Gone {
            self.state = State::Ended;
        }
        let pause = backoff::delay(self.failures, OPEN_RETRY_BASE, OPEN_RETRY_LONGEST, random);
        self.open_again_at = Some(now + OPEN_RETRY_BASE.max(pause));
        self.failures = self.failures.saturating_add(1);
        self.opening.note(refusal)
    }

    /// A read is sent.
    pub(crate) const fn read_started(&mut self, now: Instant) {
        self.pacing.read_started(now);
    }

    /// A page came: its last record, its next iterator, its size, and whether it says that more is
    /// waiting.
    pub(crate) fn page(
        &mut self,
        now: Instant,
        last_sequence: Option<&str>,
        next: Option<String>,
        bytes: u64,
        behind: bool,
    ) {
        self.pacing.page(now, bytes, behind);
        self.reading = Streak::default();
        if let Some(sequence) = last_sequence {
            self.cursor = Cursor::After(sequence.to_owned());
        }
        self.state = next.map_or(State::Ended, State::Open);
    }

    /// A read failed: a throttle, a fault, no answer.
    pub(crate) fn read_failed(&mut self, refusal: Refusal, now: Instant, random: u64) -> Note {
        self.pacing.throttled(now, random);
        match refusal {
            // The service knows the iterator no more, or never did: another one tells which.
            Refusal::NoSuchPlace => self.state = State::Closed,
            Refusal::Gone => self.state = State::Ended,
            Refusal::Throttled | Refusal::Transient => {}
        }
        self.reading.note(refusal)
    }

    /// A read was answered that the iterator is too old.
    pub(crate) fn iterator_gone(&mut self, now: Instant) {
        self.pacing.read_ended(now);
        self.state = State::Closed;
    }

    /// The subscription was moved, and this shard's reader opens with that iterator.
    pub(crate) fn repositioned(&mut self, cursor: Cursor, iterator: String, made_at: u64) {
        self.cursor = pinned(cursor, made_at);
        self.open_at(iterator);
        self.pacing.repositioned();
    }
}

/// The tip is one moment: opening there again later would skip what came in between.
fn pinned(cursor: Cursor, made_at: u64) -> Cursor {
    match cursor {
        Cursor::Tip => Cursor::Timestamp(made_at),
        cursor => cursor,
    }
}

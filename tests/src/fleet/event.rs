//! What an instance tells on its standard output, one line for each event.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A clock all processes of one host share, which never goes back.
#[must_use]
pub fn clock() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// One record at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The shard it was read from.
    pub shard: String,
    /// Its sequence number.
    pub sequence: String,
    /// Its key.
    pub key: String,
    /// How many of its key were published before it.
    pub number: u64,
    /// When that was, by [`clock`].
    pub at: Duration,
}

/// One event of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Its subscription is open.
    Ready,
    /// The handler was called.
    Began(Record),
    /// The handler is about to acknowledge.
    Handled(Record),
    /// A seek moved the subscription.
    Sought,
    /// A seek was refused.
    Refused(String),
    /// It has stopped; nothing comes after it.
    Stopped,
}

impl Event {
    /// Whether a record was handled.
    #[must_use]
    pub const fn is_handled(&self) -> bool {
        matches!(self, Self::Handled(_))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, record) = match self {
            Self::Ready => return f.write_str("ready"),
            Self::Sought => return f.write_str("sought"),
            Self::Refused(why) => return write!(f, "refused {}", why.replace('\n', " ")),
            Self::Stopped => return f.write_str("stopped"),
            Self::Began(record) => ("began", record),
            Self::Handled(record) => ("handled", record),
        };
        let Record {
            shard,
            sequence,
            key,
            number,
            at,
        } = record;
        let at = at.as_micros();
        write!(f, "{kind} {shard} {sequence} {key} {number} {at}")
    }
}

impl FromStr for Event {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let event = match kind {
            "ready" => Some(Self::Ready),
            "sought" => Some(Self::Sought),
            "stopped" => Some(Self::Stopped),
            "refused" => Some(Self::Refused(rest.to_owned())),
            "began" => record(rest).map(Self::Began),
            "handled" => record(rest).map(Self::Handled),
            _ => None,
        };
        event.ok_or_else(|| format!("no event: '{line}'"))
    }
}

fn record(text: &str) -> Option<Record> {
    let mut parts = text.split(' ');
    let mut next = || parts.next();
    Some(Record {
        shard: next()?.to_owned(),
        sequence: next()?.to_owned(),
        key: next()?.to_owned(),
        number: next()?.parse().ok()?,
        at: Duration::from_micros(next()?.parse().ok()?),
    })
}

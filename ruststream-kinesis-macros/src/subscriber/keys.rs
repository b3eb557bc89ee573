//! The one table of the attribute's keys, and the only file of the macros that names their broker.
//!
//! A macro cannot read the settings of another crate, so they stand here again, one row each; a test
//! of that crate holds the rows equal to its descriptor's.

use std::fmt;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

/// One `key = value` of the attribute.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    /// A value as a diagnostic shows it.
    pub(crate) example: &'static str,
}

/// How a value is written where it is no expression.
#[derive(Debug)]
pub(crate) enum Value {
    /// A stream's name or ARN.
    Stream,
    /// `"500ms"`, `"2s"`, `"1m"`.
    Duration,
    /// A whole number, and what is said of one out of bounds.
    Int(Bounds, &'static str),
    /// One of the clause's own words for a position.
    Position,
    /// A path of the user's crate; never an expression.
    Path,
}

#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) least: u64,
    pub(crate) most: Option<u64>,
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            None => write!(f, "{}..", self.least),
            Some(most) => write!(f, "{}..={most}", self.least),
        }
    }
}

/// The spelling the descriptor's own table has for it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duration => f.write_str("duration"),
            Self::Int(bounds, _) => write!(f, "int({bounds})"),
            Self::Stream | Self::Position | Self::Path => f.write_str("expr"),
        }
    }
}

/// The read settings of the descriptor, in its order: each is a setter of the same name.
pub(crate) const READ_SETTINGS: &[Key] = &[
    Key {
        name: "poll_interval",
        value: Value::Duration,
        example: "\"500ms\"",
    },
    Key {
        name: "create_if_missing",
        value: Value::Int(at_least(1), "a stream has at least one shard"),
        example: "2",
    },
    Key {
        name: "checkpoint_interval",
        value: Value::Duration,
        example: "\"5s\"",
    },
    Key {
        name: "memory_budget",
        value: Value::Int(at_least(1), "a memory budget of zero reads nothing"),
        example: "67_108_864",
    },
];

/// Names the stream.
pub(crate) const STREAM: Key = Key {
    name: "stream",
    value: Value::Stream,
    example: "\"orders\"",
};

/// Names the start position; the framework's clause of that name is written with parentheses.
pub(crate) const START_AT: Key = Key {
    name: "start_at",
    value: Value::Position,
    example: "horizon",
};

/// Sizes the batches of a slice handler.
pub(crate) const BATCH: Key = Key {
    name: "batch",
    value: Value::Int(
        Bounds {
            least: 1,
            most: Some(MAX_BATCH),
        },
        "a batch holds 1 to 10000 records, which is the most one read fetches",
    ),
    example: "500",
};

/// Names the broker's crate where it is not a dependency under its own name.
pub(crate) const KRATE: Key = Key {
    name: "krate",
    value: Value::Path,
    example: "crate::broker",
};

/// The most records of one read.
///
/// Source: `GetRecords` API reference, `Limit`.
const MAX_BATCH: u64 = 10_000;

const fn at_least(least: u64) -> Bounds {
    Bounds { least, most: None }
}

/// Every key, in the order the docs list them.
pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    [&STREAM]
        .into_iter()
        .chain(READ_SETTINGS)
        .chain([&START_AT, &BATCH, &KRATE])
}

/// The key of that name.
pub(crate) fn find(name: &str) -> Option<&'static Key> {
    all().find(|key| key.name == name)
}

/// The rows a test compares with the descriptor's.
pub(crate) fn table() -> TokenStream {
    let rows = READ_SETTINGS.iter().map(|key| {
        let (name, value) = (key.name, key.value.to_string());
        quote!((#name, #value))
    });
    quote!([#(#rows),*])
}

/// Where the broker's crate is unless `krate` says otherwise.
pub(crate) fn default_crate(span: Span) -> TokenStream {
    quote_spanned!(span=> ::ruststream_kinesis)
}

/// The descriptor's type.
pub(crate) fn descriptor(krate: &TokenStream, span: Span) -> TokenStream {
    quote_spanned!(span=> #krate::KinesisStream)
}

/// The position's type.
pub(crate) fn position(krate: &TokenStream, span: Span) -> TokenStream {
    quote_spanned!(span=> #krate::KinesisPosition)
}

//! What the crate logs, for tests about a warning.

use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use std::sync::{Mutex, OnceLock, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

static WARNINGS: OnceLock<Mutex<Vec<String>>> = OnceLock::new();

/// Starts the log of this process's warnings. Called before what is to be logged.
pub fn watch() {
    WARNINGS.get_or_init(|| {
        // Whoever set another one first sees the warnings instead; the test then says so.
        let _ = tracing::subscriber::set_global_default(Warnings);
        Mutex::default()
    });
}

/// Prints this process's events of level `INFO` and worse to its standard error.
pub fn print() {
    // Whoever set another one first gets them instead.
    let _ = tracing::subscriber::set_global_default(Printed);
}

/// The warnings in which that text appears, a stream's name for one.
#[must_use]
pub fn warnings(about: &str) -> Vec<String> {
    let warnings = WARNINGS.get_or_init(Mutex::default);
    let warnings = warnings.lock().unwrap_or_else(PoisonError::into_inner);
    warnings
        .iter()
        .filter(|warning| warning.contains(about))
        .cloned()
        .collect()
}

/// Keeps the crate's events of level `WARN` and worse, each as one line of its fields.
struct Warnings;

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN && metadata.target() == "ruststream::kinesis"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        let warnings = WARNINGS.get_or_init(Mutex::default);
        let mut warnings = warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Writes the framework's and the crate's events, each as one line.
struct Printed;

impl Subscriber for Printed {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO && metadata.target().starts_with("ruststream")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        let _ = writeln!(stderr(), "{} {}", event.metadata().level(), line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a string does not fail.
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

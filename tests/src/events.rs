//! What the crate logs, for tests about a warning.

use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<String>> {
    // A test that panicked leaves the lines whole.
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the crate's warnings and errors of this process from now on.
pub fn watch() {
    // Whoever set another one first sees the warnings instead; the test then says so.
    let _ = tracing::subscriber::set_global_default(Lines {
        wanted: |event| *event.level() <= Level::WARN && event.target() == "ruststream::kinesis",
        told: |_, line| kept().push(line),
    });
}

/// Keeps everything the crate and the framework say in this process from now on.
///
/// # Panics
///
/// Where the process has a subscriber: a test that needs every event runs in a process of its own.
pub fn watch_all() {
    let set = tracing::subscriber::set_global_default(Lines {
        wanted: |event| event.target().starts_with("ruststream"),
        told: |_, line| kept().push(line),
    });
    set.expect("the first subscriber of the process");
}

/// Prints this process's events of level `INFO` and worse to its standard error.
pub fn print() {
    // Whoever set another one first gets them instead.
    let _ = tracing::subscriber::set_global_default(Lines {
        wanted: |event| *event.level() <= Level::INFO && event.target().starts_with("ruststream"),
        told: |level, line| {
            let _ = writeln!(stderr(), "{level} {line}");
        },
    });
}

/// Everything that was kept.
#[must_use]
pub fn all() -> Vec<String> {
    kept().clone()
}

/// The warnings in which that text appears, a stream's name for one.
#[must_use]
pub fn warnings(about: &str) -> Vec<String> {
    let mut warnings = kept().clone();
    warnings.retain(|warning| warning.contains(about));
    warnings
}

/// Takes events, each as one line of its fields.
struct Lines {
    wanted: fn(&Metadata<'_>) -> bool,
    told: fn(Level, String),
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        (self.wanted)(metadata)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        (self.told)(*event.metadata().level(), line.0);
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

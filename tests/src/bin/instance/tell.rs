//! The events on standard output.

use std::io::{Write, stdout};

use tests::fleet::Event;

/// Tells one event in one write, so that a line is whole or absent wherever the process is killed.
pub(crate) fn tell(event: &Event) {
    let line = format!("{event}\n");
    let mut output = stdout().lock();
    let told = output
        .write_all(line.as_bytes())
        .and_then(|()| output.flush());
    if told.is_err() {
        // The test is gone.
        std::process::exit(3);
    }
}

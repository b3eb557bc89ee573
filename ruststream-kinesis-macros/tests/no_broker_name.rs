//! Everything about a broker comes from its spec: the sources of the spec macros name none, and those
//! of the public attribute, which has no spec, name it in the key table alone.

use std::path::Path;
use std::{fs, io};

/// The key table, and the grammar of the service's names.
const EXEMPT: &[&str] = &["subscriber/keys.rs", "subscriber/stream_name.rs"];

fn named_in(folder: &Path, lines: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with("src/tests") {
                named_in(&path, lines)?;
            }
            continue;
        }
        if EXEMPT.iter().any(|file| path.ends_with(file)) {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let code = text.lines().filter(|line| !is_doc(line));
        let named = code.filter(|line| line.to_lowercase().contains("kinesis"));
        lines.extend(named.map(|line| format!("{}: {line}", path.display())));
    }
    Ok(())
}

fn is_doc(line: &str) -> bool {
    line.starts_with("//!") || line.starts_with("///")
}

#[test]
fn the_sources_name_no_broker() {
    let mut lines = Vec::new();
    named_in(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut lines,
    )
    .unwrap();
    assert_eq!(lines, [] as [&str; 0]);
}

//! Everything about a broker comes from its spec: the macros' sources name none.

use std::path::Path;
use std::{fs, io};

fn named_in(folder: &Path, lines: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                named_in(&path, lines)?;
            }
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let code = text.lines().filter(|line| !line.starts_with("//!"));
        let named = code.filter(|line| line.to_lowercase().contains("kinesis"));
        lines.extend(named.map(|line| format!("{}: {line}", path.display())));
    }
    Ok(())
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

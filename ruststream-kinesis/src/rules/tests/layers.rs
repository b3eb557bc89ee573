//! The one rule of the crate's cut: dependencies never turn round.

use std::fs;
use std::path::{Path, PathBuf};

/// What a folder's files may name of this crate, and what of the world they may not.
const LAYERS: &[(&str, &[&str], &[&str])] = &[
    (
        "rules",
        &["rules"],
        &["tokio", "aws_", "use ruststream::", "tracing", "fastrand"],
    ),
    (
        "lease",
        &[
            "clock",
            "endpoint",
            "error_chain",
            "lease",
            "per_runtime",
            "rules",
        ],
        &["tokio::spawn", "aws_sdk_kinesis", "use ruststream::"],
    ),
    (
        "service",
        &[
            "clock",
            "error",
            "error_chain",
            "lease",
            "monitor",
            "per_runtime",
            "position",
            "rules",
            "sdk_error",
            "service",
            "stream",
        ],
        &["use ruststream::"],
    ),
    (
        "in_process",
        &[
            "clock",
            "error",
            "in_process",
            "position",
            "rules",
            "stream",
        ],
        &["tokio::spawn", "aws_"],
    ),
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            // Tests reach where they like.
            if path.file_name().is_some_and(|name| name != "tests") {
                sources(&path, into);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

fn lines_naming<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .filter(|line| line.contains(word))
        .collect()
}

/// The modules of this crate that a line names.
fn modules_named(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("crate::").map(|(at, path)| {
        let rest = &line[at + path.len()..];
        rest.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or_default()
    })
}

#[test]
fn dependencies_never_turn_round() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (folder, modules, world) in LAYERS {
        let mut files = Vec::new();
        sources(&root.join(folder), &mut files);
        assert!(!files.is_empty(), "{folder} has no files");
        for file in files {
            let text = fs::read_to_string(&file).expect("a source file");
            for line in lines_naming(&text, "crate::") {
                for module in modules_named(line) {
                    assert!(modules.contains(&module), "{}: {line}", file.display());
                }
            }
            // A path upwards would pass the folder's border unseen.
            for word in world.iter().chain(&["super::super::super"]) {
                let lines = lines_naming(&text, word);
                assert!(lines.is_empty(), "{}: {lines:?}", file.display());
            }
        }
    }
}

#[test]
fn one_module_reads_the_clock() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    for file in files.iter().filter(|file| !file.ends_with("clock.rs")) {
        let text = fs::read_to_string(file).expect("a source file");
        for clock in ["Instant::now", "SystemTime::now"] {
            let lines = lines_naming(&text, clock);
            assert!(lines.is_empty(), "{}: {lines:?}", file.display());
        }
    }
}

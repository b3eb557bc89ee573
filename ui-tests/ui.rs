//! Every case under `fail/` is refused with the sentences recorded beside it, and every case under
//! `pass/` compiles and runs.
//!
//! The sentences are those of one compiler, so the cases run where `RUN_UI_TESTS` is 1; with
//! `REQUIRE_UI_TESTS` set to 1, a run that would skip them fails. `UI_CASE` runs the cases of one
//! path only, such as `fail/attribute`.

use std::path::Path;
use std::{env, fs};

fn is_set(variable: &str) -> bool {
    env::var(variable).as_deref() == Ok("1")
}

#[test]
fn ui() {
    if !is_set("RUN_UI_TESTS") {
        assert!(
            !is_set("REQUIRE_UI_TESTS"),
            "REQUIRE_UI_TESTS is 1 and RUN_UI_TESTS is not: the cases would have been skipped"
        );
        println!("skipped: RUN_UI_TESTS=1 runs the cases");
        return;
    }
    let only = env::var("UI_CASE").unwrap_or_default();
    let cases = trybuild::TestCases::new();
    if only.is_empty() || only.starts_with("fail") {
        cases.compile_fail(pattern(&only, "fail"));
    }
    if only.is_empty() || only.starts_with("pass") {
        cases.pass(pattern(&only, "pass"));
    }
}

/// The files of a kind, of a topic or of one case.
fn pattern(only: &str, kind: &str) -> String {
    match only {
        "" => format!("{kind}/*/*.rs"),
        case if Path::new(case).is_file() => case.to_owned(),
        topic => format!("{topic}/*.rs"),
    }
}

/// A row of the README's tables over the failing cases.
#[derive(Debug)]
struct Row {
    case: String,
    sentence: String,
}

fn rows() -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let (_, case) = cells.get(1)?.split_once("](fail/")?;
        Some(Row {
            case: case.trim_end_matches(".rs)").to_owned(),
            sentence: cells.get(2)?.trim_end_matches(" |").to_owned(),
        })
    };
    include_str!("README.md").lines().filter_map(row).collect()
}

#[test]
fn the_readme_says_what_the_user_sees() {
    for Row { case, sentence } in rows() {
        let recorded = fs::read_to_string(format!("fail/{case}.stderr"))
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(recorded.contains(&sentence), "{case}: {sentence}");
    }
}

#[test]
fn the_readme_lists_every_case() {
    let listed = include_str!("README.md");
    for kind in ["fail", "pass"] {
        for topic in fs::read_dir(kind).expect("the cases are beside the runner") {
            let topic = topic.expect("a topic is read").path();
            for case in fs::read_dir(topic).expect("a topic is a folder") {
                let case = case.expect("a case is read").path();
                let link = format!("]({})", case.display());
                let is_case = case.extension().is_some_and(|extension| extension == "rs");
                assert!(!is_case || listed.contains(&link), "{link}");
            }
        }
    }
}

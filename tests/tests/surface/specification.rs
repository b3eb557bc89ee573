//! The table of tests/README.md: every test it names is there, and is run.

use std::fs;
use std::path::Path;

const TABLE: &str = include_str!("../../README.md");

/// Where the tests of a name's first part are, from this package.
const PLACES: [(&str, &str); 10] = [
    ("live", "tests/live"),
    ("fleet", "tests/fleet"),
    ("stores", "tests/stores"),
    ("dynamodb", "tests/stores/dynamodb"),
    ("contract", "src/store_contract"),
    ("in_process", "tests/in_process"),
    ("surface", "tests/surface"),
    ("apps", "src/apps"),
    ("suites", "src"),
    ("rules", "../ruststream-kinesis/src/rules/tests"),
];

fn read(path: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names in backquotes that have the form of a test's path.
fn tests() -> Vec<&'static str> {
    let quoted = TABLE.split('`').skip(1).step_by(2);
    let tests = quoted.filter(|name| name.contains("::") && !name.contains(' '));
    tests.collect()
}

/// Whether that source has a test of that name: a function under an attribute.
fn runs(source: &str, name: &str) -> bool {
    let lines: Vec<_> = source.lines().map(str::trim).collect();
    lines.windows(2).any(|pair| {
        let has_attribute = pair[0].starts_with("#[") || pair[0] == ")]";
        has_attribute && pair[1].contains(&format!("fn {name}("))
    })
}

#[test]
fn every_test_the_table_names_is_there() {
    let tests = tests();
    assert!(tests.len() > 100, "{} tests", tests.len());
    let suites = [
        read("src/suites.rs"),
        read("tests/in_process/conformance.rs"),
        read("tests/live/conformance.rs"),
    ];
    let suites = suites.concat();
    let shared = [read("tests/in_process/apps.rs"), read("tests/live/apps.rs")].concat();
    let contract = read("src/store_contract/mod.rs");
    for test in tests {
        let parts: Vec<_> = test.split("::").collect();
        let place = PLACES.iter().find(|(first, _)| *first == parts[0]);
        let (first, folder) = place.unwrap_or_else(|| panic!("{test} is nowhere"));
        let name = parts[parts.len() - 1];
        let found = match *first {
            // Bodies, which the suites list to run them.
            "apps" => {
                let body = format!("pub async fn {name}(");
                read(&format!("{folder}/{}.rs", parts[1])).contains(&body)
                    && shared.contains(&format!("{}::{name}\n", parts[1]))
            }
            "contract" => {
                let body = format!("pub async fn {name}(");
                read(&format!("{folder}/{}.rs", parts[1])).contains(&body)
                    && contract.contains(&format!("{}::{name}\n", parts[1]))
            }
            "suites" => {
                let body = format!("pub async fn {name}(");
                suites.contains(&body) && suites.lines().any(|line| line.trim() == name)
            }
            _ => runs(&read(&format!("{folder}/{}.rs", parts[1])), name),
        };
        assert!(found, "{test} is not there");
    }
}

#[test]
fn every_fault_has_its_tests() {
    let (_, table) = TABLE
        .split_once("## What holds against faults")
        .expect("a table");
    let numbered = (1..=37).map(|fault| format!("F{fault}"));
    for fault in numbered.chain(["F36b", "F36c"].map(str::to_owned)) {
        let row = table
            .lines()
            .find(|line| line.starts_with(&format!("| {fault} |")));
        let row = row.unwrap_or_else(|| panic!("no row for {fault}"));
        assert!(row.contains("::"), "{row}");
    }
}

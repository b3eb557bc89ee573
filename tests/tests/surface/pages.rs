//! What the pages of this repository say, held against what there is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ruststream_kinesis::LeaseTimings;
use serde_json::Value;

const README: &str = include_str!("../../../README.md");
const CONTRIBUTING: &str = include_str!("../../../CONTRIBUTING.md");
const JUSTFILE: &str = include_str!("../../../justfile");
const COMPOSE: &str = include_str!("../../../docker-compose.test.yml");
const PAGES: [&str; 3] = [README, CONTRIBUTING, JUSTFILE];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let text = fs::read_to_string(repository().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The words that follow `flag` in the cargo commands of all pages.
fn named(flag: &str) -> BTreeSet<&'static str> {
    let commands = PAGES.iter().flat_map(|page| page.lines());
    let words = commands
        .filter(|line| line.contains("cargo "))
        .flat_map(|line| line.split(|c: char| c.is_whitespace() || c == '`'));
    let words: Vec<_> = words.collect();
    let pairs = words.windows(2).filter(|pair| pair[0] == flag);
    pairs.map(|pair| pair[1]).collect()
}

/// The rows of the table under the line that begins so, cell by cell.
fn table(page: &'static str, under: &str) -> Vec<Vec<&'static str>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(under));
    let rows = lines
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    let cells = |row: &'static str| row.trim_matches('|').split('|').map(str::trim).collect();
    rows.skip(2).map(cells).collect()
}

#[test]
fn every_example_a_command_names_is_there() {
    let manifest = read("examples/Cargo.toml");
    let examples = named("--example");
    assert!(examples.contains("quickstart"), "{examples:?}");
    for example in examples {
        let name = format!("name = \"{example}\"");
        assert!(manifest.contains(&name), "{example}");
    }
}

#[test]
fn every_package_and_suite_a_command_names_is_there() {
    let packages = named("-p");
    assert!(packages.contains("tests"), "{packages:?}");
    for package in packages {
        let manifest = read(&format!("{package}/Cargo.toml"));
        assert!(manifest.contains(&format!("name = \"{package}\"")));
    }
    let suites = named("--test");
    assert!(suites.contains("live"), "{suites:?}");
    for suite in suites {
        read(&format!("tests/tests/{suite}/main.rs"));
    }
}

#[test]
fn the_quickstart_takes_the_flags_the_readme_names() {
    let usage = read("examples/quickstart/args.rs");
    for flag in ["--endpoint URL", "--aws"] {
        assert!(README.contains(&format!("`-- {flag}`")), "{flag}");
        assert!(usage.contains(&format!("  {flag}")), "{flag}");
    }
}

#[test]
fn every_file_and_heading_a_page_links_to_is_there() {
    for page in [README, CONTRIBUTING] {
        let links = page.split("](").skip(1);
        let links = links.filter_map(|link| link.split_once(')'));
        for (link, _) in links.filter(|(link, _)| !link.starts_with("https://")) {
            let Some((file, heading)) = link.split_once('#') else {
                assert!(repository().join(link).exists(), "{link}");
                continue;
            };
            let text = if file.is_empty() {
                page.to_owned()
            } else {
                read(file)
            };
            let named = |line: &str| {
                let title = line.trim_start_matches(['#', ' ']).to_lowercase();
                line.starts_with('#') && title.replace(' ', "-") == heading
            };
            assert!(text.lines().any(named), "{link}");
        }
    }
}

#[test]
fn every_row_of_the_broker_table_is_a_function_of_the_broker() {
    let broker = read("ruststream-kinesis/src/broker.rs");
    let rows = table(README, "The broker:");
    assert!(rows.len() > 5, "{rows:?}");
    for row in rows {
        let call = row[0]
            .trim_matches('`')
            .trim_start_matches("KinesisBroker::");
        let (name, _) = call.split_once('(').expect("a call");
        assert!(broker.contains(&format!("pub fn {name}(")), "{name}");
    }
}

#[test]
fn the_broker_table_shows_the_default_lease_timings() {
    let rows = table(README, "The broker:");
    let row = rows.iter().find(|row| row[0].contains("lease_timings"));
    let numbers = row.expect("a row").get(1).expect("a default").split(' ');
    let numbers: Vec<u64> = numbers.filter_map(|word| word.parse().ok()).collect();
    let [duration, renew_every] = numbers[..] else {
        panic!("two numbers, not {numbers:?}");
    };
    let shown = LeaseTimings::builder()
        .lease_ttl(Duration::from_secs(duration))
        .renew_every(Duration::from_secs(renew_every))
        .build();
    assert_eq!(shown, LeaseTimings::default());
}

#[test]
fn the_readme_lists_the_features_and_all_are_off_by_default() {
    let manifest = read("ruststream-kinesis/Cargo.toml");
    let features = manifest.split("[features]\n").nth(1).expect("features");
    let features = features.lines().take_while(|line| !line.starts_with('['));
    let features = features.filter_map(|line| line.split_once(" = "));
    let (default, features): (Vec<_>, Vec<_>) = features.partition(|(name, _)| *name == "default");
    assert_eq!(default, [("default", "[]")]);
    let features: BTreeSet<_> = features.into_iter().map(|(name, _)| name).collect();

    let section = README.split("## Features\n").nth(1).expect("a section");
    let section = section.split("\n## ").next().expect("a section");
    let listed = section.lines().filter_map(|line| line.strip_prefix("- `"));
    let listed = listed.filter_map(|line| line.split_once('`'));
    let listed: BTreeSet<_> = listed.map(|(name, _)| name).collect();
    assert_eq!(listed, features);
    for promised in ["asyncapi", "dynamodb-lease", "testing"] {
        assert!(features.contains(promised), "{promised}");
    }
}

/// The operations of a service that a source calls: what is asked of `client`, in `PascalCase`.
fn operations(source: &str) -> BTreeSet<String> {
    let source: String = source.split_whitespace().collect();
    let source = source.replace("client()", "client");
    let called = source.split("client.").skip(1);
    let called = called.filter_map(|rest| rest.split_once("()").map(|(name, _)| name));
    let pascal = |name: &str| -> String {
        let words = name.split('_').filter_map(|word| word.split_at_checked(1));
        words
            .map(|(first, rest)| first.to_uppercase() + rest)
            .collect()
    };
    called.map(pascal).collect()
}

#[test]
fn the_permissions_are_those_of_the_calls_that_are_made() {
    let allowed: BTreeSet<_> = table(README, "## Permissions")
        .iter()
        .flat_map(|row| row[1].split('`'))
        .filter(|action| action.contains(':'))
        .collect();
    let source = |path: &str| read(&format!("ruststream-kinesis/src/{path}"));
    let tables = [
        source("lease/dynamodb/table.rs"),
        source("lease/dynamodb/create.rs"),
    ];
    for (service, source) in [
        ("kinesis:", source("service/calls.rs")),
        ("dynamodb:", tables.concat()),
    ] {
        let allowed = allowed
            .iter()
            .filter_map(|action| action.strip_prefix(service));
        let allowed: BTreeSet<_> = allowed.map(str::to_owned).collect();
        assert!(allowed.len() > 4, "{allowed:?}");
        assert_eq!(allowed, operations(&source), "{service}");
    }
}

#[test]
fn the_compose_file_brings_both_services_where_the_justfile_dials_them() {
    let compose: Value = serde_norway::from_str(COMPOSE).expect("it is YAML");
    let (_, dialled) = JUSTFILE
        .split_once("local := \"http://127.0.0.1:")
        .expect("an address");
    let (port, _) = dialled.split_once('"').expect("a port");
    let aws = &compose["services"]["aws"];
    let published = aws["ports"].as_array().expect("ports");
    let published: Vec<_> = published.iter().filter_map(Value::as_str).collect();
    assert!(
        published
            .iter()
            .any(|ports| ports.ends_with(&format!(":{port}"))),
        "{published:?}"
    );
    assert_eq!(aws["environment"]["SERVICES"], "kinesis,dynamodb");
    assert!(aws["healthcheck"]["test"].is_array(), "{aws}");
}

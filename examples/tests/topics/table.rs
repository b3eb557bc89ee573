//! Every example is registered, has a twin and a test, and stands in the table of README.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Programs of their own, which have no twin. They are registered and listed like the others.
const PROGRAMS: [&str; 2] = ["leases", "local"];

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: impl AsRef<Path>) -> String {
    let path = examples().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the programs right below a folder, without their ending.
fn programs(folder: &str) -> BTreeSet<String> {
    let files = fs::read_dir(examples().join(folder)).expect("the folder is there");
    let files = files.map(|file| file.expect("the folder is read").path());
    files
        .filter(|file| file.extension().is_some_and(|ending| ending == "rs"))
        .filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()))
        .collect()
}

fn topics() -> BTreeSet<String> {
    let mut topics = programs("");
    for program in PROGRAMS {
        assert!(topics.remove(program), "'{program}.rs' is gone");
    }
    topics
}

#[test]
fn every_topic_has_a_twin_and_every_twin_a_topic() {
    assert_eq!(topics(), programs("manual"));
}

#[test]
fn every_program_is_registered_under_its_name() {
    let manifest = text("Cargo.toml");
    let files = programs("").into_iter().map(|name| (name.clone(), name));
    let twins = programs("manual").into_iter();
    let twins = twins.map(|name| (format!("manual_{name}"), format!("manual/{name}")));
    for (name, file) in files.chain(twins) {
        let registered = format!("[[example]]\nname = \"{name}\"\npath = \"{file}.rs\"\n");
        assert!(manifest.contains(&registered), "no entry for '{file}.rs'");
    }
}

#[test]
fn every_topic_has_a_module_of_tests_that_runs_it_and_its_twin() {
    let modules = text("tests/topics/main.rs");
    for topic in topics() {
        let declared = modules.lines().any(|line| line == format!("mod {topic};"));
        assert!(declared, "main.rs has no module '{topic}'");
        let tests = text(format!("tests/topics/{topic}.rs"));
        for file in [format!("{topic}.rs"), format!("manual/{topic}.rs")] {
            let included = format!("#[path = \"../../{file}\"]");
            assert!(tests.contains(&included), "no test runs '{file}'");
        }
    }
}

#[test]
fn every_program_has_a_row_in_the_readme_and_every_row_a_program() {
    let readme = text("README.md");
    let rows: Vec<_> = readme
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    let topics = topics();
    for topic in &topics {
        let cells = format!("| [`{topic}.rs`]({topic}.rs) | [manual](manual/{topic}.rs) |");
        let count = rows.iter().filter(|row| row.contains(&cells)).count();
        assert_eq!(count, 1, "rows with '{cells}'");
    }
    for program in PROGRAMS {
        let cell = format!("| [`{program}.rs`]({program}.rs) |");
        assert!(
            rows.iter().any(|row| row.contains(&cell)),
            "no row with '{cell}'"
        );
    }
    let linked = rows.iter().filter(|row| row.contains(".rs)")).count();
    assert_eq!(
        linked,
        topics.len() + PROGRAMS.len(),
        "a row names what is not there"
    );
}

#[test]
fn every_program_opens_with_what_it_shows_and_how_to_run_it() {
    for (folder, prefix) in [("", ""), ("manual", "manual_")] {
        for name in programs(folder) {
            let file = text(Path::new(folder).join(format!("{name}.rs")));
            let opening = file.lines().take_while(|line| line.starts_with("//!"));
            let opening: String = opening.collect();
            let commands = ["run", "test"].map(|verb| format!("cargo {verb} "));
            let named = format!("--example {prefix}{name}");
            assert!(
                commands.iter().any(|command| opening.contains(command))
                    && opening.contains(&named),
                "{folder}/{name}.rs: no command with '{named}'"
            );
            // It is what a program does that is told nothing.
            assert!(
                !opening.contains("-- run"),
                "{folder}/{name}.rs spells the default command"
            );
        }
    }
}

#[test]
fn no_twin_has_a_macro_of_the_framework() {
    for name in programs("manual") {
        let twin = text(format!("manual/{name}.rs"));
        for written in [
            "#[subscriber",
            "#[ruststream",
            "#[app",
            "Outgoing)",
            "OutSlot)",
            "FromRef",
            "#[publishes",
            "#[outgoing",
        ] {
            assert!(!twin.contains(written), "manual/{name}.rs has '{written}'");
        }
    }
}

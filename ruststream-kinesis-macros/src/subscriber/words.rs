//! The attribute's vocabulary: our keys, and the clauses of the framework's grammar.
//!
//! A key is written `key = value` and a clause `clause(..)`. Who mixes the two up, or misspells a
//! word, is told the one that was probably meant.

use proc_macro2::{Group, Ident};

use super::keys::{self, Key};
use crate::diagnostics::Diagnostics;
use crate::keyed;

/// The clauses of `ruststream` 0.7.7. `start_at` is also a key.
const CLAUSES: &[&str] = &["reply", "workers", "threads", "on_failure", "start_at"];

/// Steps of the mount site that are looked for in the attribute.
const STEPS: &[&str] = &[
    "max_attempts",
    "dead_letter",
    "partition_key",
    "out_retry",
    "out_reply",
];

/// What is said where no word stands.
pub(crate) const EXPECTED: &str =
    "expected a key such as `poll_interval = \"500ms\"`, or a clause such as `workers(4)`";

/// What a word turned out to be.
#[derive(Debug)]
pub(crate) enum Word {
    Key(&'static Key),
    Clause(&'static str),
}

impl Word {
    /// How it is written.
    fn shape(&self) -> String {
        match self {
            Self::Key(key) => format!("{} = {}", key.name, key.example),
            Self::Clause("reply") => "reply".to_owned(),
            Self::Clause(name) => format!("{name}(..)"),
        }
    }
}

pub(crate) fn is_clause(word: &Ident) -> bool {
    CLAUSES.iter().any(|clause| word == clause)
}

/// Whether it is a word of the attribute or nearly so: who misspells a word gets its first letter
/// right.
pub(crate) fn is_close(word: &Ident) -> bool {
    let word = word.to_string();
    let known: Vec<&str> = keys::all()
        .map(|key| key.name)
        .chain(CLAUSES.iter().copied())
        .filter(|known| known.chars().next() == word.chars().next())
        .collect();
    keyed::nearest(&word, &known).is_some()
}

/// What `word = ..` means; anything but a key was reported.
pub(crate) fn assigned(word: &Ident, diagnostics: &Diagnostics) -> Option<Word> {
    let name = word.to_string();
    if let Some(key) = keys::find(&name) {
        return Some(Word::Key(key));
    }
    if let Some(clause) = clause(&name) {
        diagnostics.at(
            word,
            format_args!("`{name}` is a clause: write `{}`", clause.shape()),
        );
        return Some(clause);
    }
    let keys: Vec<&str> = keys::all().map(|key| key.name).collect();
    let meant = keyed::nearest(&name, &keys)
        .and_then(keys::find)
        .map(Word::Key)
        .or_else(|| clause(keyed::nearest(&name, CLAUSES)?));
    report(word, "key", meant.as_ref(), diagnostics);
    meant
}

/// What `word` or `word(..)` means; anything but a clause was reported.
pub(crate) fn called(
    word: &Ident,
    arguments: Option<&Group>,
    diagnostics: &Diagnostics,
) -> Option<Word> {
    let name = word.to_string();
    if let Some(clause) = clause(&name) {
        return Some(clause);
    }
    if let Some(key) = keys::find(&name) {
        let value = arguments.map_or_else(
            || key.example.to_owned(),
            |group| group.stream().to_string(),
        );
        diagnostics.at(
            word,
            format_args!("`{name}` is a key: write `{name} = {value}`"),
        );
        return Some(Word::Key(key));
    }
    let keys: Vec<&str> = keys::all().map(|key| key.name).collect();
    let meant = keyed::nearest(&name, CLAUSES).and_then(clause).or_else(|| {
        let key = keys::find(keyed::nearest(&name, &keys)?)?;
        Some(Word::Key(key))
    });
    report(word, "clause", meant.as_ref(), diagnostics);
    meant
}

fn report(word: &Ident, what: &str, meant: Option<&Word>, diagnostics: &Diagnostics) {
    if STEPS.iter().any(|step| word == step) {
        let step =
            format!("`{word}(..)` is a step where the handler is mounted, after `b.include(..)`");
        return diagnostics.at(word, step);
    }
    let Some(meant) = meant else {
        let keys: Vec<&str> = keys::all().map(|key| key.name).collect();
        // `start_at` is among the keys.
        let clauses = CLAUSES.iter().filter(|clause| !keys.contains(clause));
        let clauses: Vec<&str> = clauses.copied().collect();
        let (keys, clauses) = (keys.join("`, `"), clauses.join("`, `"));
        let all = format!("the keys are `{keys}`, the framework's clauses `{clauses}`");
        return diagnostics.at(word, format_args!("unknown {what} `{word}`: {all}"));
    };
    let shape = meant.shape();
    diagnostics.at(
        word,
        format_args!("unknown {what} `{word}`: did you mean `{shape}`?"),
    );
}

fn clause(name: &str) -> Option<Word> {
    let clause = CLAUSES.iter().find(|clause| **clause == name)?;
    Some(Word::Clause(clause))
}

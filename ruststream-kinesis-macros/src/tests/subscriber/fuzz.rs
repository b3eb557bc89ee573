//! Attributes nobody would write. `FUZZ_CASES` says how many; `just fuzz` asks for a million.

use std::env;
use std::str::FromStr;

use fastrand::Rng;
use proc_macro2::TokenStream;

use super::{batch, errors, single};
use crate::subscriber::generate;
use crate::tests::defined;

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const CASES: u32 = 20_000;

const SOUND: &[&str] = &[
    "\"orders\"",
    "stream = \"orders\"",
    "KinesisStream::new(\"orders\").poll_interval(PAUSE)",
    "poll_interval = \"500ms\"",
    "poll_interval = PAUSE",
    "create_if_missing = 2",
    "checkpoint_interval = \"5s\"",
    "memory_budget = 67_108_864",
    "start_at = horizon",
    "start_at = timestamp(1_700_000_000_000)",
    "start_at = sequence(\"shardId-000000000000\", \"17\")",
    "start_at(KinesisPosition::horizon())",
    "batch = 500",
    "krate = crate::broker",
    "workers(4, by_key)",
    "reply",
    "reply(\"receipts\")",
    "on_failure(panic = drop, decode = skip)",
];

const NOISE: &[&str] = &[
    ",",
    "=",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "::",
    "..",
    "!",
    "#",
    "-",
    "&",
    "'a",
    "\"\"",
    "\"0s\"",
    "\"18446744073709551616m\"",
    "0",
    "-1",
    "340282366920938463463374607431768211456",
    "1.5",
    "true",
    "b\"x\"",
    "r#stream",
    "stream",
    "start_at",
    "batch",
    "horizn",
    "_",
    "self",
    "fn",
    "|x| x",
    "\u{0661}",
];

/// A few sound arguments with noise between them; the commas are noise as well.
fn attribute(random: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(1..7) {
        let words = if random.u8(..4) == 0 { NOISE } else { SOUND };
        text.push_str(words[random.usize(..words.len())]);
        text.push_str(if random.u8(..5) == 0 { " " } else { ", " });
    }
    if random.u8(..3) == 0 {
        let at = random.usize(..text.len());
        text.truncate((0..=at).rfind(|at| text.is_char_boundary(*at)).unwrap_or(0));
    }
    text
}

#[test]
fn any_attribute_leaves_its_handler_defined_and_a_damaged_one_an_error() {
    let cases = env::var("FUZZ_CASES").map_or(CASES, |cases| cases.parse().expect("a number"));
    let mut random = Rng::with_seed(SEED);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..cases {
        let text = attribute(&mut random);
        // What is no tokens never reaches a macro.
        let Ok(attr) = TokenStream::from_str(&text) else {
            continue;
        };
        let item = if random.bool() { single() } else { batch() };
        let output = generate(&attr, &item);
        let names = defined(output.clone());
        assert!(names.contains(&"handle".to_owned()), "{text}");
        let errors = errors(&output);
        assert!(errors.iter().all(|error| !error.is_empty()), "{text}");
        if errors.is_empty() {
            accepted += 1;
        } else {
            refused += 1;
        }
    }
    // Both sides are reached, or the test shows little.
    assert!(accepted > cases / 50, "{accepted} of {cases}");
    assert!(refused > cases / 4, "{refused} of {cases}");
}

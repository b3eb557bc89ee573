use std::env;

use super::counts::Counts;
use super::{Outcome, simulate};

/// How many seeds run where nothing asks for more.
const SEEDS: u64 = 2_000;
/// The lines of a trace that are shown of a seed that failed.
const SHOWN: usize = 80;

fn named(variable: &str) -> Option<u64> {
    let value = env::var(variable).ok()?;
    Some(value.parse().expect("a number"))
}

fn run(seed: u64, recording: bool) -> Outcome {
    simulate(seed, crate::clock::now(), recording)
}

/// Runs the seed again to tell how it came to fail.
fn explain(seed: u64) -> String {
    let again = run(seed, true);
    let lines: Vec<_> = again.trace.lines().collect();
    let last = &lines[lines.len().saturating_sub(SHOWN)..];
    format!(
        "{}\n...\n{}\n\nseed {seed}: {}\nSIM_SEED={seed} cargo test -p ruststream-kinesis --lib simulation",
        lines.first().unwrap_or(&""),
        last.join("\n"),
        again
            .violation
            .as_deref()
            .unwrap_or("it did not fail again"),
    )
}

/// One part of the seeds, so that the parts run at the same time.
fn part(part: u64, parts: u64) {
    if named("SIM_SEED").is_some() {
        return;
    }
    let seeds = named("SIM_SEEDS").unwrap_or(SEEDS);
    let mut counts = Counts::default();
    let (mut slowest, mut unread) = (0, 0);
    let (mut steps, mut run_seeds) = (0, 0);
    let (mut broken, mut first_broken) = (Vec::new(), None);
    for seed in (part..seeds).step_by(usize::try_from(parts).expect("small")) {
        let outcome = run(seed, false);
        if let Some(violation) = outcome.violation {
            broken.push(format!("seed {seed}: {violation}"));
            first_broken.get_or_insert(seed);
        }
        counts += &outcome.counts;
        slowest = slowest.max(outcome.converged);
        unread = unread.max(outcome.unread);
        steps += outcome.steps;
        run_seeds += 1;
    }
    if let Some(seed) = first_broken {
        panic!("{}\n\n{}", explain(seed), broken.join("\n"));
    }
    println!(
        "{counts:#?}\n{run_seeds} seeds, {steps} steps; after the last fault the slowest was as it \
         should be within {slowest} µs, and no shard was unread for more than {unread} µs",
    );
    let short = counts.short_of_floors(run_seeds);
    assert!(
        short.is_empty(),
        "the simulation does too little: {short:?}"
    );
}

#[test]
fn no_seed_breaks_a_promise_first_part() {
    part(0, 4);
}

#[test]
fn no_seed_breaks_a_promise_second_part() {
    part(1, 4);
}

#[test]
fn no_seed_breaks_a_promise_third_part() {
    part(2, 4);
}

#[test]
fn no_seed_breaks_a_promise_fourth_part() {
    part(3, 4);
}

#[test]
fn the_seed_of_the_environment_breaks_no_promise() {
    if let Some(seed) = named("SIM_SEED") {
        let outcome = run(seed, true);
        if env::var_os("SIM_TRACE").is_some() {
            println!("{}", outcome.trace);
        }
        assert!(outcome.violation.is_none(), "{}", explain(seed));
    }
}

#[test]
fn a_seed_runs_the_same_way_twice() {
    for seed in 0..24 {
        let (one, other) = (run(seed, true), run(seed, true));
        assert!(!one.trace.is_empty());
        assert!(one.trace == other.trace, "seed {seed} ran in two ways");
        assert_eq!(one.counts, other.counts);
        // What is recorded is what runs.
        assert_eq!(run(seed, false).steps, one.steps);
    }
}

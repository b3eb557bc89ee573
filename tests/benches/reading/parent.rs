//! Starts the readers, each with a server of its own, and prints how they compare.

use std::panic::resume_unwind;
use std::thread;

use crate::Outcome;
use crate::gauge::Spent;
use crate::page::{ORDERS, REPLAYED_RECORDS};
use crate::process::reader;
use crate::replay::BUDGET;

/// Runs of each reader; the middle one is what is printed.
const ROUNDS: usize = 7;

/// The loop over the SDK and the service, in the same order each round.
const READERS: [(&str, &str); 3] = [
    ("loop", "loop over the SDK"),
    ("turns", "loop, shards in turn"),
    ("service", "one-line service"),
];

/// What the peak may be over the budget: the process itself.
const SLACK: usize = 64 * 1024 * 1024;

const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// Compares throughput and CPU.
pub(crate) fn time() -> Outcome<()> {
    println!("{ORDERS} records of 200 bytes on four shards, the middle of {ROUNDS} rounds");
    let mut rounds: [Vec<Spent>; READERS.len()] = Default::default();
    for _ in 0..ROUNDS {
        for ((role, _), spent) in READERS.iter().zip(&mut rounds) {
            spent.push(reader(role, "orders")?.parse()?);
        }
    }
    let rates: Vec<Rate> = rounds
        .iter()
        .map(|spent| Rate::middle(spent, ORDERS))
        .collect();
    for ((_, name), rate) in READERS.iter().zip(&rates) {
        rate.show(name);
    }
    let service = &rates[READERS.len() - 1];
    for ((_, name), by_hand) in READERS.iter().zip(&rates).take(READERS.len() - 1) {
        service.compare("the service", by_hand, name);
    }
    Ok(())
}

/// The rates of a reader, each the middle one of its rounds.
pub(crate) struct Rate {
    pub(crate) per_second: f64,
    pub(crate) cpu_micros: f64,
}

impl Rate {
    pub(crate) fn middle(rounds: &[Spent], records: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
        let records = records as f64;
        Self {
            per_second: records / middle(rounds.iter().map(|spent| spent.wall.as_secs_f64())),
            cpu_micros: middle(rounds.iter().map(|spent| spent.cpu.as_secs_f64())) * 1e6 / records,
        }
    }

    pub(crate) fn show(&self, name: &str) {
        println!(
            "{name:<22}{:>12.0} records/s {:>8.3} us CPU a record",
            self.per_second, self.cpu_micros,
        );
    }

    /// Prints how `this` compares with `that`, by the names of both.
    pub(crate) fn compare(&self, this: &str, that: &Self, name: &str) {
        println!(
            "{this} against the {name}: {:.2} of its throughput, {:.2} times its CPU a record",
            self.per_second / that.per_second,
            self.cpu_micros / that.cpu_micros,
        );
    }
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Judges the peak memory, with whatever allocator settings this process was given.
pub(crate) fn weigh() -> Outcome<()> {
    println!("a replay of 64 shards of 10 MiB pages under a handler that sleeps");
    let mut over = Vec::new();
    for (size, peak) in REPLAYED_RECORDS.iter().zip(replay_each()?) {
        println!(
            "records of {size:>8} bytes: peak {:.1} MiB, {:+.1} MiB over the budget of {:.0} MiB",
            mebibytes(peak),
            mebibytes(peak) - mebibytes(BUDGET),
            mebibytes(BUDGET),
        );
        if peak > BUDGET + SLACK {
            over.push(size.to_string());
        }
    }
    if over.is_empty() {
        return Ok(());
    }
    Err(format!(
        "a replay of records of {} bytes takes more than its budget and {:.0} MiB",
        over.join(" and "),
        mebibytes(SLACK),
    )
    .into())
}

/// The peak of one replay for each size of records. They run side by side: they mostly sleep, and
/// each is weighed alone.
fn replay_each() -> Outcome<Vec<usize>> {
    thread::scope(|scope| {
        let replays = REPLAYED_RECORDS.map(|size| {
            scope.spawn(move || -> Outcome<usize> {
                Ok(reader("replay", &size.to_string())?.parse()?)
            })
        });
        replays
            .into_iter()
            .map(|replay| replay.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

fn mebibytes(bytes: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a size far below 2^52")]
    let bytes = bytes as f64;
    bytes / MEBIBYTE
}

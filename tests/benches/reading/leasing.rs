//! What leases in a table cost: throughput, writes and calls, each from one run.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::gauge::Spent;
use crate::page::{FEW_ORDERS, ORDERS, SHARDS};
use crate::parent::Rate;
use crate::process::{Counts, Process, Server, printed, reader};

/// Runs of each reader; the middle one is what is printed.
const ROUNDS: usize = 7;
/// Runs of those that write for every record.
const WRITE_ROUNDS: usize = 9;

/// How long the writes of an endless stream are counted.
const COUNTED: Duration = Duration::from_secs(10);

/// Shards whose start is counted.
const MANY: u64 = 1_000;
/// What a start on them may take: listing calls, batch reads, and of the others one for each shard.
const LISTINGS: u64 = 2;
const BATCHES: u64 = 20;

const CHECKPOINT: &str = "UpdateItem (checkpoint)";
const TAKE: &str = "UpdateItem (take)";

/// Compares and counts; fails where more calls are made than are allowed.
pub(crate) fn lease() -> Outcome<()> {
    let mut broken = Vec::new();
    with_interval()?;
    sustained(&mut broken)?;
    write_through(&mut broken)?;
    starting(&mut broken)?;
    if broken.is_empty() {
        Ok(())
    } else {
        Err(broken.join("\n").into())
    }
}

/// The service with an interval against the loop.
fn with_interval() -> Outcome<()> {
    println!(
        "{ORDERS} records of 200 bytes on four shards, leases in DynamoDB, checkpoint_interval(1 s), \
         the middle of {ROUNDS} rounds"
    );
    let (mut by_hand, mut in_turn) = (Vec::new(), Vec::new());
    let (mut in_memory, mut service) = (Vec::new(), Vec::new());
    let mut writes = Counts::new();
    for _ in 0..ROUNDS {
        by_hand.push(reader("loop", "orders")?.parse()?);
        in_turn.push(reader("turns", "orders")?.parse()?);
        in_memory.push(reader("service", "orders")?.parse()?);
        let mut table = Server::table()?;
        service.push(leased("interval", "orders", &table)?);
        writes = table.counts()?;
    }
    let by_hand = Rate::middle(&by_hand, ORDERS);
    let in_turn = Rate::middle(&in_turn, ORDERS);
    let in_memory = Rate::middle(&in_memory, ORDERS);
    let service = Rate::middle(&service, ORDERS);
    by_hand.show("loop over the SDK");
    in_turn.show("loop, shards in turn");
    in_memory.show("one-line service");
    service.show("service with leases");
    service.compare("the service with leases", &by_hand, "loop over the SDK");
    service.compare("the service with leases", &in_turn, "loop, shards in turn");
    service.compare("the service with leases", &in_memory, "one-line service");
    println!("calls of the last round: {}", listed(&writes));
    Ok(())
}

/// The writes while the records do not end.
fn sustained(broken: &mut Vec<String>) -> Outcome<()> {
    let server = Server::canned("endless")?;
    let mut table = Server::table()?;
    let mut service = Process::start("endless", &[&server.endpoint, &table.endpoint])?;
    service.line()?;
    table.counts()?;
    let begun = Instant::now();
    sleep(COUNTED);
    let writes = table.counts()?;
    let seconds = begun.elapsed().as_secs_f64();
    service.nudge()?;
    let records: f64 = service.line()?.parse()?;
    service.ended()?;
    let checkpoints = count(&writes, CHECKPOINT);
    let each = of(checkpoints, u64::from(SHARDS)) / seconds;
    println!(
        "of {:.0} records/s for {seconds:.1} s: {}; {each:.2} checkpoint writes per shard and second",
        records / seconds,
        listed(&writes),
    );
    // A write at the window's very edge is not one too many.
    if of(checkpoints, u64::from(SHARDS)) > seconds.ceil() {
        broken.push(format!(
            "{each:.2} checkpoint writes per shard and second are more than one"
        ));
    }
    Ok(())
}

/// A checkpoint for every acknowledgement.
fn write_through(broken: &mut Vec<String>) -> Outcome<()> {
    println!(
        "{FEW_ORDERS} records on four shards, written through, the middle of {WRITE_ROUNDS} rounds"
    );
    let (mut by_hand, mut sequential, mut keyed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut one_by_one, mut grouped) = (0, 0);
    for round in 0..WRITE_ROUNDS {
        let mut table = Server::table()?;
        let endpoint = table.endpoint.clone();
        let bound = || printed("bound", &[&endpoint])?.parse();
        // A table that has just begun is slower, and after that each has its turn to come first.
        bound()?;
        if round % 2 == 0 {
            by_hand.push(bound()?);
        }
        table.counts()?;
        sequential.push(leased("sequential", "few", &table)?);
        one_by_one += count(&table.counts()?, CHECKPOINT);
        keyed.push(leased("keyed", "few", &table)?);
        grouped += count(&table.counts()?, CHECKPOINT);
        if round % 2 == 1 {
            by_hand.push(bound()?);
        }
    }
    let by_hand = Rate::middle(&by_hand, FEW_ORDERS);
    let sequential = Rate::middle(&sequential, FEW_ORDERS);
    let keyed = Rate::middle(&keyed, FEW_ORDERS);
    by_hand.show("UpdateItem by the SDK");
    sequential.show("one after the other");
    keyed.show("workers(16, by_key)");
    println!(
        "one after the other against the same writes by the SDK alone: {:.2} of their throughput",
        sequential.per_second / by_hand.per_second,
    );
    println!(
        "workers(16, by_key) against one after the other: {:.2} times its throughput",
        keyed.per_second / sequential.per_second,
    );
    let records = FEW_ORDERS * WRITE_ROUNDS as u64;
    println!(
        "checkpoint writes a record: {:.3} one after the other, {:.3} with workers(16, by_key)",
        of(one_by_one, records),
        of(grouped, records),
    );
    if one_by_one.max(grouped) > records {
        broken.push("there are more checkpoint writes than records".to_owned());
    }
    Ok(())
}

/// Starts on many shards, whose leases nobody had and then somebody had.
fn starting(broken: &mut Vec<String>) -> Outcome<()> {
    let mut stream = Server::stream(MANY)?;
    let mut table = Server::table()?;
    for rows in ["an empty table", "a table of released leases"] {
        let mut service = Process::start("start", &[&stream.endpoint, &table.endpoint])?;
        let seconds: f64 = service.line()?.parse()?;
        let (reads, leases) = (stream.counts()?, table.counts()?);
        service.nudge()?;
        service.ended()?;
        println!("a start on {MANY} shards and {rows}: subscribed after {seconds:.2} s");
        println!("    the stream: {}", listed(&reads));
        println!("    the table: {}", listed(&leases));
        println!("    handed back: {}", listed(&table.counts()?));
        stream.counts()?;
        for (calls, operation, most) in [
            (&reads, "ListShards", LISTINGS),
            (&leases, "BatchGetItem", BATCHES),
            (&leases, TAKE, MANY),
            (&reads, "GetShardIterator", MANY),
        ] {
            let made = count(calls, operation);
            if made > most {
                broken.push(format!(
                    "a start on {MANY} shards and {rows} makes {made} calls of {operation}, more than {most}"
                ));
            }
        }
    }
    Ok(())
}

/// Runs one reader with leases in that table.
fn leased(role: &str, stock: &str, table: &Server) -> Outcome<Spent> {
    let server = Server::canned(stock)?;
    printed(role, &[&server.endpoint, &table.endpoint])?.parse()
}

fn count(counts: &Counts, kind: &str) -> u64 {
    counts.get(kind).copied().unwrap_or_default()
}

fn listed(counts: &Counts) -> String {
    let counts = counts.iter().map(|(kind, count)| format!("{count} {kind}"));
    counts.collect::<Vec<_>>().join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn of(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

//! What reading costs: the throughput and the CPU of a one-line service against a loop written by
//! hand over the SDK, the peak memory of a replay under handlers that sleep, and what leases in a
//! table add.
//!
//! Every reader runs in a process of its own, against a server in another one, so that what is
//! counted is the reader's alone. Throughput is printed and never judged; a replay that outgrows its
//! budget fails, and so do more calls than allowed. `cargo bench -p tests -- time`, `-- weigh` and
//! `-- lease` run one part.

mod by_hand;
mod client;
mod gauge;
mod leased;
mod leasing;
mod order;
mod page;
mod parent;
mod process;
mod replay;
mod server;
mod service;
mod stack;
mod tally;

use std::error::Error;
use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Threads of a reader's runtime.
const WORKERS: usize = 2;

fn runtime() -> Outcome<Runtime> {
    Ok(Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()?)
}

fn main() -> ExitCode {
    // Cargo passes `--bench`, and whatever else was typed; the processes started here pass a role.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["serve", stock] => server::serve(stock),
        ["loop", endpoint] => by_hand::read(endpoint, by_hand::Form::TaskPerShard),
        ["turns", endpoint] => by_hand::read(endpoint, by_hand::Form::InTurn),
        ["service", endpoint] => service::read(endpoint),
        ["replay", endpoint] => replay::read(endpoint),
        ["table"] => stack::table(),
        ["stream", shards] => stack::stream(shards),
        ["interval", endpoint, table] => leased::read(leased::Form::WithInterval, endpoint, table),
        ["sequential", endpoint, table] => leased::read(leased::Form::Sequential, endpoint, table),
        ["keyed", endpoint, table] => leased::read(leased::Form::Keyed, endpoint, table),
        ["endless", endpoint, table] => leased::read_on(endpoint, table),
        ["start", endpoint, table] => leased::start(endpoint, table),
        ["bound", table] => leased::store_by_hand(table),
        ["lease", ..] => leasing::lease(),
        ["time", ..] => parent::time(),
        ["weigh", ..] => parent::weigh(),
        _ => parent::time()
            .and_then(|()| parent::weigh())
            .and_then(|()| leasing::lease()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

//! The main job in one command: orders in, receipts out, over Kinesis and the real SDK.
//!
//! `cargo run --example quickstart` brings its own Kinesis along. `-- --help` tells the rest.
//! `service.rs` is the part a program of one's own is made of.

mod args;
mod place;
mod service;
mod signals;
mod streams;

use std::error::Error;
use std::io::{Write, stderr};
use std::process::ExitCode;

use self::args::{Asked, Target};
use self::place::Place;
use self::signals::{Interrupted, Signals};
use self::streams::Streams;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    let target = match args::parse(std::env::args().skip(1)) {
        Ok(Asked::Run(target)) => target,
        Ok(Asked::Help) => {
            print!("{}", args::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(reason) => {
            eprint!("{reason}\n\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(failure) => return failed(&failure),
    };
    let ended = runtime.block_on(run(target));
    // A name that is still being looked up must not hold the exit up.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failed(&*failure),
    }
}

fn failed(failure: &(dyn Error + 'static)) -> ExitCode {
    let _ = writeln!(stderr(), "error: {failure}");
    let interrupted = failure.downcast_ref::<Interrupted>();
    ExitCode::from(interrupted.map_or(1, |signal| signal.exit_code))
}

async fn run(target: Target) -> Result<(), Failure> {
    let place = Place::find(target).await?;
    let streams = Streams::new(&place);
    streams.announce(&place);

    let mut signals = Signals::listen()?;
    let job = {
        let (config, streams) = (place.config.clone(), streams.clone());
        // On a task of its own, so that a panic ends there and the streams are deleted all the
        // same.
        tokio::spawn(async move {
            // Not cut short: what a signal finds being created has to be there to be deleted.
            streams.create().await?;
            signals.or(streams.usable()).await?;
            service::run(config, streams.names(), &mut signals).await
        })
    };
    let worked = job.await;
    let deleted = streams.delete().await;
    worked??;
    deleted
}

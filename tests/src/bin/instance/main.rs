//! One instance of a small service, for the tests that need several processes.

mod commands;
mod service;
mod tell;

use std::error::Error;

use tests::fleet::{Event, Settings};

use self::tell::tell;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    // A process that is frozen does not see its input close.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    tests::events::print();
    let settings = std::env::args().nth(1).ok_or("no settings")?;
    let settings: Settings = serde_json::from_str(&settings)?;
    service::run(&settings).await?;
    tell(&Event::Stopped);
    Ok(())
}

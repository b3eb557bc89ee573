//! The commands on standard input.

use std::io::stdin;

use ruststream::Seeker;
use ruststream_kinesis::{KinesisPosition, KinesisSeeker};
use tests::fleet::{Command, Event, Start};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::tell::tell;

/// Does what is asked, until nobody asks any more: then the test is gone, and this process ends.
pub(crate) fn obey(seeker: watch::Receiver<Option<KinesisSeeker>>) {
    let runtime = Handle::current();
    std::thread::spawn(move || {
        for line in stdin().lines() {
            let Ok(line) = line else { break };
            let command = serde_json::from_str(&line);
            let Command::Seek(to) = command.expect("a command of the test");
            let mut seeker = seeker.clone();
            runtime.spawn(async move {
                // The first delivery brings it.
                let Ok(seeker) = seeker
                    .wait_for(Option::is_some)
                    .await
                    .map(|seen| seen.clone())
                else {
                    return;
                };
                let Some(seeker) = seeker else { return };
                match seeker.seek(position(to)).await {
                    Ok(()) => tell(&Event::Sought),
                    Err(error) => tell(&Event::Refused(error.to_string())),
                }
            });
        }
        std::process::exit(4);
    });
}

pub(crate) fn position(start: Start) -> KinesisPosition {
    match start {
        Start::Horizon => KinesisPosition::horizon(),
        Start::Latest => KinesisPosition::latest(),
        Start::Timestamp(millis) => KinesisPosition::timestamp(millis),
    }
}

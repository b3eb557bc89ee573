//! One instance of the service: a process that can be stopped, killed and frozen.

use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command as Process, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::time::timeout;

use super::PATIENCE;
use super::event::Event;
use super::log::Log;
use super::settings::{Command, Settings};
use super::timeline::{Entry, Timeline};

/// A running instance; dropping it kills it.
#[derive(Debug)]
pub struct Instance {
    place: usize,
    owner_id: String,
    child: Child,
    /// The instance ends when this closes, and with it when the test's process ends.
    commands: ChildStdin,
    timeline: Timeline,
    readers: Vec<JoinHandle<()>>,
    log: Log,
}

impl Instance {
    pub(super) fn start(program: &Path, settings: &Settings, log: Log, timeline: Timeline) -> Self {
        let place = log.place();
        let argument = serde_json::to_string(settings).expect("settings are plain data");
        let mut process = Process::new(program);
        process
            .arg(argument)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // What a developer's environment says of AWS is not part of a test.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"AWS_") {
                process.env_remove(name);
            }
        }
        let mut child = process.spawn().expect("the instance starts");
        let events = child.stdout.take().expect("the output is piped");
        let errors = child.stderr.take().expect("the errors are piped");
        let readers = vec![
            read_events(events, place, timeline.clone()),
            read_errors(errors, log.clone()),
        ];
        Self {
            place,
            owner_id: settings.owner_id.clone(),
            commands: child.stdin.take().expect("the input is piped"),
            child,
            timeline,
            readers,
            log,
        }
    }

    /// Its place in the fleet.
    #[must_use]
    pub const fn place(&self) -> usize {
        self.place
    }

    /// Its name in the table.
    #[must_use]
    pub fn owner_id(&self) -> &str {
        &self.owner_id
    }

    /// Waits until its subscription is open and it can be asked to stop.
    pub async fn ready(&self) {
        self.told(|event| matches!(event, Event::Ready), 1).await;
        // The framework listens for signals only once the service runs; until then one would end the
        // process as it ends any other.
        let listens = async {
            while !self.catches(Signal::TERM) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let waited = timeout(PATIENCE, listens).await;
        assert!(waited.is_ok(), "'{}' does not listen", self.owner_id);
    }

    /// Whether it has a handler for that signal; assumed where the system does not tell.
    fn catches(&self, signal: Signal) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let caught = status.ok().and_then(|status| {
            let mask = status
                .lines()
                .find_map(|line| line.strip_prefix("SigCgt:"))?;
            u64::from_str_radix(mask.trim(), 16).ok()
        });
        caught.is_none_or(|caught| caught >> (signal.as_raw() - 1) & 1 == 1)
    }

    /// Waits until it told so many events that `counts` accepts.
    pub async fn told(&self, counts: impl Fn(&Event) -> bool, events: usize) {
        let mine = |entry: &Entry| entry.instance == self.place && counts(&entry.event);
        let waited = timeout(PATIENCE, self.timeline.counted(mine, events)).await;
        assert!(
            waited.is_ok(),
            "instance {} ('{}') did not tell {events} of these events; its errors:\n{}",
            self.place,
            self.owner_id,
            self.complaints(),
        );
    }

    /// Has it do something.
    pub fn command(&mut self, command: Command) {
        let line = serde_json::to_string(&command).expect("a command is plain data");
        self.log.asked();
        writeln!(self.commands, "{line}").expect("the instance listens");
    }

    /// Kills it where it stands, as `kill -9` does, and waits until it is gone.
    pub async fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.gone().await;
    }

    /// Asks it to stop, as a deployment does.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Stops it in the middle of whatever it does, until [`resume`](Self::resume).
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Waits until it is gone and everything it told is in the timeline; its exit code, and nothing
    /// where a signal ended it.
    pub async fn gone(&mut self) -> Option<i32> {
        let ended = async {
            loop {
                if let Some(status) = self.child.try_wait().expect("the child can be asked") {
                    break status;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let status = timeout(PATIENCE, ended).await;
        let status = status.unwrap_or_else(|_| {
            panic!(
                "'{}' does not end; its errors:\n{}",
                self.owner_id,
                self.complaints()
            )
        });
        for reader in self.readers.drain(..) {
            reader.join().expect("what it told is readable");
        }
        status.code()
    }

    /// What it wrote to its standard error.
    #[must_use]
    pub fn complaints(&self) -> String {
        self.log.text()
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("the instance was not waited for yet");
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // Both fail only where it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_events(from: impl Read + Send + 'static, place: usize, to: Timeline) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            let line = line.expect("an event is text");
            let event = line.parse();
            to.note(place, event.expect("an instance tells events alone"));
        }
    })
}

fn read_errors(from: impl Read + Send + 'static, to: Log) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            to.note(line.expect("an error is text"));
        }
    })
}

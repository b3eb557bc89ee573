//! The processes of a measurement. Each ends with the value that stands for it.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Outcome;

/// A process in a role, which is told lines and answers lines.
pub(crate) struct Process {
    role: String,
    child: Child,
    /// Servers end when it closes.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    pub(crate) fn start(role: &str, arguments: &[&str]) -> Outcome<Self> {
        let mut child = Command::new(env::current_exe()?)
            .arg(role)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(Self {
            role: role.to_owned(),
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().ok_or("its output is piped")?),
            child,
        })
    }

    /// Tells it a line, whatever that says.
    pub(crate) fn nudge(&mut self) -> Outcome<()> {
        let input = self.input.as_mut().ok_or("its input is piped")?;
        Ok(input.write_all(b"\n")?)
    }

    /// The next line it prints.
    pub(crate) fn line(&mut self) -> Outcome<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        match line.strip_suffix('\n') {
            Some(line) => Ok(line.to_owned()),
            None => Err(format!("'{}' ended before it answered", self.role).into()),
        }
    }

    /// Waits until it ends by itself.
    pub(crate) fn ended(mut self) -> Outcome<()> {
        let status = self.child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("'{}' ended with {status}", self.role).into())
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended already needs neither.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a reader, and answers the line it prints.
pub(crate) fn printed(role: &str, arguments: &[&str]) -> Outcome<String> {
    let mut reader = Process::start(role, arguments)?;
    let line = reader.line();
    // How it ended tells more than a line that is missing.
    reader.ended()?;
    line
}

/// Runs a reader against a canned server of its own, and answers the line it prints.
pub(crate) fn reader(role: &str, stock: &str) -> Outcome<String> {
    let server = Server::canned(stock)?;
    printed(role, &[&server.endpoint])
}

/// A server in a process of its own.
pub(crate) struct Server {
    process: Process,
    pub(crate) endpoint: String,
}

/// Calls of each operation, and of each purpose of a write.
pub(crate) type Counts = BTreeMap<String, u64>;

impl Server {
    pub(crate) fn canned(stock: &str) -> Outcome<Self> {
        Self::start("serve", &[stock])
    }

    pub(crate) fn table() -> Outcome<Self> {
        Self::start("table", &[])
    }

    pub(crate) fn stream(shards: u64) -> Outcome<Self> {
        Self::start("stream", &[&shards.to_string()])
    }

    fn start(role: &str, arguments: &[&str]) -> Outcome<Self> {
        let mut process = Process::start(role, arguments)?;
        let endpoint = process.line()?;
        Ok(Self { process, endpoint })
    }

    /// The calls that a table or a stream got since it was last asked.
    pub(crate) fn counts(&mut self) -> Outcome<Counts> {
        self.process.nudge()?;
        Ok(serde_json::from_str(&self.process.line()?)?)
    }
}

//! The built example as a process.

#[cfg(unix)]
use std::io::{BufRead, Write};
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long anything here may take.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(crate) struct Program(Command);

/// What a program has come to.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Program {
    /// The quickstart.
    pub(crate) fn new(args: &[&str]) -> Self {
        Self::example("quickstart", args)
    }

    /// That example, without the caller's AWS settings.
    pub(crate) fn example(name: &str, args: &[&str]) -> Self {
        let mut command = Command::new(path(name));
        command.args(args).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"AWS_") {
                command.env_remove(name);
            }
        }
        command
            .env("AWS_CONFIG_FILE", "/nonexistent")
            .env("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
            .env("AWS_EC2_METADATA_DISABLED", "true");
        Self(command)
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    #[cfg(unix)]
    pub(crate) fn args<'a>(mut self, args: impl Iterator<Item = &'a str>) -> Self {
        self.0.args(args);
        self
    }

    pub(crate) fn start(mut self) -> Running {
        let mut child = self
            .0
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|failure| panic!("{:?} does not start: {failure}", self.0));
        let output = child.stdout.take().map(BufReader::new);
        let mut errors = child.stderr.take().expect("the errors are piped");
        // Read at the same time as the output, so that a full pipe stops nobody.
        let errors = thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).expect("errors are text");
            text
        });
        Running {
            child,
            output,
            errors,
        }
    }

    /// Starts it with an input to write to.
    #[cfg(unix)]
    pub(crate) fn fed(mut self) -> Fed {
        let mut child = self
            .0
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|failure| panic!("{:?} does not start: {failure}", self.0));
        let output = child.stdout.take().expect("the output is piped");
        Fed {
            child,
            output: BufReader::new(output),
        }
    }

    pub(crate) fn run(self) -> Ended {
        self.start().wait()
    }
}

pub(crate) struct Running {
    child: Child,
    output: Option<BufReader<ChildStdout>>,
    errors: JoinHandle<String>,
}

impl Running {
    /// Closes the program's output.
    pub(crate) fn stop_reading(&mut self) {
        self.output = None;
    }

    /// The next line it prints, once it does; nothing at its end.
    #[cfg(unix)]
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        let output = self.output.as_mut().expect("the output is read");
        output.read_line(&mut line).expect("output is text");
        line
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status()
            .expect("`kill` is part of every Unix");
        assert!(sent.success());
    }

    pub(crate) fn wait(mut self) -> Ended {
        let output = self.output.take().map(|mut output| {
            thread::spawn(move || {
                let mut text = String::new();
                output.read_to_string(&mut text).expect("output is text");
                text
            })
        });
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("the child can be asked") {
                break status;
            }
            if started.elapsed() > PATIENCE {
                self.child.kill().expect("the child can be ended");
            }
            thread::sleep(Duration::from_millis(10));
        };
        Ended {
            code: status.code(),
            output: output
                .map(|output| output.join().expect("the reader ends"))
                .unwrap_or_default(),
            errors: self.errors.join().expect("the reader ends"),
        }
    }
}

/// A program that is told line by line what to do, and answers so. It ends with its input.
#[cfg(unix)]
pub(crate) struct Fed {
    child: Child,
    output: BufReader<ChildStdout>,
}

#[cfg(unix)]
impl Fed {
    pub(crate) fn tell(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().expect("the input is piped");
        writeln!(input, "{line}").expect("the program reads");
    }

    pub(crate) fn answer(&mut self) -> String {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        assert!(read.expect("output is text") > 0, "the program has ended");
        line
    }
}

#[cfg(unix)]
impl Drop for Fed {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Also of a test that fails, so nothing is asserted.
        let _ = self.child.wait();
    }
}

/// Waits for `happened`, and fails when it does not.
pub(crate) fn wait_until(happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(started.elapsed() < PATIENCE, "waited in vain");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Cargo builds a package's examples before it runs all of the package's tests, but not for one
/// `--test` alone.
fn path(example: &str) -> PathBuf {
    let mut path = std::env::current_exe().expect("a test knows where it is");
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    path.push("examples");
    path.push(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is not built: run `cargo build --example {example}`, or all tests",
        path.display()
    );
    path
}

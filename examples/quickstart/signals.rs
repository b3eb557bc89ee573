//! The signals that ask a program to end.

use std::fmt;
use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::Failure;

/// Ended by a signal, before the work was done.
#[derive(Debug)]
pub(crate) struct Interrupted {
    name: &'static str,
    /// What a shell expects of a program the signal ended.
    pub(crate) exit_code: u8,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ended by {}", self.name)
    }
}

impl std::error::Error for Interrupted {}

/// From its creation on, a signal no longer ends the process; it waits here.
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    hangup: Signal,
    #[cfg(unix)]
    quit: Signal,
}

impl Signals {
    #[cfg(unix)]
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
        })
    }

    #[cfg(unix)]
    async fn next(&mut self) -> Interrupted {
        let (name, exit_code) = tokio::select! {
            _ = self.interrupt.recv() => ("SIGINT", 130),
            _ = self.terminate.recv() => ("SIGTERM", 143),
            _ = self.hangup.recv() => ("SIGHUP", 129),
            _ = self.quit.recv() => ("SIGQUIT", 131),
        };
        Interrupted { name, exit_code }
    }

    #[cfg(not(unix))]
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> Interrupted {
        // Without a handler the key ends the process itself, so there is nothing to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Interrupted {
            name: "Ctrl-C",
            exit_code: 130,
        }
    }

    /// What `work` comes to, unless a signal is first.
    ///
    /// # Errors
    ///
    /// [`Interrupted`], and those of `work`.
    pub(crate) async fn or<T, E: Into<Failure>>(
        &mut self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            interrupted = self.next() => Err(interrupted.into()),
            worked = work => worked.map_err(Into::into),
        }
    }
}

//! A clock that stands still until a test moves it, for waits that are too long for a test.

use std::pin::pin;
use std::sync::mpsc;
use std::time::Duration;

use futures::future::{Either, select};
use tokio::task::spawn_blocking;

/// What a second of the clock takes.
const SECOND: Duration = Duration::from_millis(60);

/// The paused clock of a current-thread runtime, which does not move by itself either: a call in
/// flight does not run out of time because its answer is not there yet.
#[derive(Debug)]
pub struct Frozen {
    _held: mpsc::Sender<()>,
}

impl Frozen {
    /// Pauses the clock.
    #[must_use]
    pub fn start() -> Self {
        tokio::time::pause();
        let (held, dropped) = mpsc::channel::<()>();
        // A paused clock skips to its next timer only while no blocking task runs.
        spawn_blocking(move || dropped.recv());
        Self { _held: held }
    }

    /// What passes on this clock, at most, while that long passes outside.
    #[must_use]
    pub fn during(outside: Duration) -> Duration {
        Duration::from_secs_f64(outside.div_duration_f64(SECOND))
    }

    /// Waits for `future` while a second passes every 60 real milliseconds.
    pub async fn pass<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            let real = pin!(spawn_blocking(|| std::thread::sleep(SECOND)));
            match select(future.as_mut(), real).await {
                Either::Left((output, _)) => return output,
                Either::Right(_) => tokio::time::advance(Duration::from_secs(1)).await,
            }
        }
    }
}

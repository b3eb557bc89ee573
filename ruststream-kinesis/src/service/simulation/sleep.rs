//! Waiting for the clock of a process.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use super::executor::{Executor, Micros, Process, SECOND, Timer};

pub(super) struct Sleep {
    executor: Rc<Executor>,
    process: Process,
    until: Instant,
    timer: Option<Timer>,
}

impl Sleep {
    pub(super) fn new(executor: &Rc<Executor>, process: Process, until: Instant) -> Self {
        Self {
            executor: Rc::clone(executor),
            process,
            until,
            timer: None,
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let executor = Rc::clone(&self.executor);
        let clock = executor.clock(self.process);
        if let Some(timer) = self.timer.take() {
            executor.drop_timer(timer);
        }
        let left = self.until.saturating_duration_since(clock);
        if left.is_zero() {
            return Poll::Ready(());
        }
        // A clock that is slow or stood still meanwhile is looked at again then.
        let left = Micros::try_from(left.as_micros()).unwrap_or(SECOND).max(1);
        self.timer = Some(executor.set_timer(left, context.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.take() {
            self.executor.drop_timer(timer);
        }
    }
}

//! Whether, and how, a subscription is to stop. Imitates `service::stop`, whose channel wakes those
//! who wait in an order of its own, which no seed decides.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

use tokio::sync::Notify;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    No,
    Drain,
    Now,
    Shutdown,
}

/// How a subscription was told to stop; who waits for more of it is woken in turn.
#[derive(Clone)]
pub(super) struct Stopping(Rc<Told>);

struct Told {
    stop: Cell<Stop>,
    more: Notify,
}

impl Stopping {
    pub(super) fn not_yet() -> Self {
        Self(Rc::new(Told {
            stop: Cell::new(Stop::No),
            more: Notify::new(),
        }))
    }

    pub(super) fn stop(&self) -> Stop {
        self.0.stop.get()
    }
}

/// Waits until a subscription is told to stop, at least that urgently.
pub(super) async fn told(stopping: &Stopping, least: Stop) {
    loop {
        let mut more = pin!(stopping.0.more.notified());
        more.as_mut().enable();
        if stopping.stop() >= least {
            return;
        }
        more.await;
    }
}

/// Tells a subscription to stop, unless it was told more urgently before.
pub(super) fn stop_at_least(stopping: &Stopping, stop: Stop) {
    if stopping.stop() < stop {
        stopping.0.stop.set(stop);
        stopping.0.more.notify_waiters();
    }
}

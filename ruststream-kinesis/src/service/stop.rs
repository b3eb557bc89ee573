//! Whether, and how, a subscription is to stop.

use tokio::sync::watch;

/// Whether, and how, a subscription is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// It runs.
    No,
    /// It was dropped: deliveries in flight may still settle.
    Drain,
    /// The stream is wanted again: deliveries in flight are read again.
    Now,
    /// The broker is shut down.
    Shutdown,
}

/// Waits until a subscription is told to stop, at least that urgently.
pub(super) async fn told(stop: &mut watch::Receiver<Stop>, least: Stop) {
    // The sender lives as long as the coordinator.
    let _ = stop.wait_for(|stop| *stop >= least).await;
}

/// Tells a subscription to stop, unless it was told more urgently before.
pub(super) fn stop_at_least(sender: &watch::Sender<Stop>, stop: Stop) {
    sender.send_if_modified(|current| {
        let more = *current < stop;
        if more {
            *current = stop;
        }
        more
    });
}

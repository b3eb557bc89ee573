//! What all instances of a fleet have told.

use std::sync::Arc;

use tokio::sync::watch;

use super::event::{Event, Record};

/// One event and who told it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The instance's place in the fleet, counted from 0 in the order of their starts.
    pub instance: usize,
    /// The event.
    pub event: Event,
}

/// Every event so far, each instance's in its order.
#[derive(Debug, Clone, Default)]
pub struct Timeline(Arc<watch::Sender<Vec<Entry>>>);

impl Timeline {
    pub(super) fn note(&self, instance: usize, event: Event) {
        let entry = Entry { instance, event };
        self.0.send_modify(|entries| entries.push(entry));
    }

    /// The records that were handled so far, with who handled them.
    #[must_use]
    pub fn handled(&self) -> Vec<(usize, Record)> {
        let entries = self.0.borrow();
        let handled = entries.iter().filter_map(|entry| match &entry.event {
            Event::Handled(record) => Some((entry.instance, record.clone())),
            _ => None,
        });
        handled.collect()
    }

    /// How many events `counts` accepts so far.
    pub fn count(&self, counts: impl Fn(&Entry) -> bool) -> usize {
        self.0.borrow().iter().filter(|entry| counts(entry)).count()
    }

    /// Waits until `counts` accepted so many events, those before counted too. Has no timeout of its
    /// own and is safe to cancel.
    pub async fn counted(&self, counts: impl Fn(&Entry) -> bool, events: usize) {
        let (mut looked_at, mut counted) = (0, 0);
        self.reach(|entries| {
            let new = entries[looked_at..].iter();
            counted += new.filter(|entry| counts(entry)).count();
            looked_at = entries.len();
            counted >= events
        })
        .await;
    }

    /// Looks at the events so far.
    pub fn look<T>(&self, at: impl FnOnce(&[Entry]) -> T) -> T {
        at(&self.0.borrow())
    }

    /// Waits until `holds`. Has no timeout of its own and is safe to cancel.
    pub async fn reach(&self, mut holds: impl FnMut(&[Entry]) -> bool) {
        // The sender is this timeline itself, so the wait cannot end early.
        let _ = self.0.subscribe().wait_for(|entries| holds(entries)).await;
    }
}

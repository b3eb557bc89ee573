//! One client per runtime.
//!
//! A client's connections live on the runtime that first used them, so a handler on a dedicated
//! thread gets a client of its own, built from the same settings.

use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Handle, Id};

/// How many runtimes are remembered; the longest unused one is forgotten first, and with it the
/// clients of runtimes that are gone.
const REMEMBERED: usize = 64;

/// The clients of the runtimes that called.
#[derive(Debug)]
pub(crate) struct PerRuntime<C> {
    /// The most recently used last.
    clients: Mutex<Vec<(Id, C)>>,
}

impl<C> Default for PerRuntime<C> {
    fn default() -> Self {
        Self {
            clients: Mutex::default(),
        }
    }
}

impl<C: Clone> PerRuntime<C> {
    /// The client of the calling runtime, which `build` makes for the first call from it.
    pub(crate) fn current(&self, build: impl FnOnce() -> C) -> C {
        let Ok(runtime) = Handle::try_current() else {
            return build();
        };
        let id = runtime.id();
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let client = match clients.iter().rposition(|(known, _)| *known == id) {
            Some(at) => clients.remove(at).1,
            None => build(),
        };
        if clients.len() == REMEMBERED {
            clients.remove(0);
        }
        clients.push((id, client.clone()));
        client
    }
}

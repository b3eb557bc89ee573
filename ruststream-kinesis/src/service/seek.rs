//! The way from a handle to the subscription's coordinator.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::error::KinesisError;
use crate::position::KinesisPosition;

/// A reposition on its way, and where its answer goes.
pub(super) struct Command {
    pub(super) position: KinesisPosition,
    pub(super) answer: oneshot::Sender<Result<(), KinesisError>>,
}

/// Repositions one subscription; the work is done on the broker's runtime.
#[derive(Clone)]
pub(crate) struct Seek {
    stream: Arc<str>,
    commands: mpsc::Sender<Command>,
}

impl Seek {
    pub(super) fn new(stream: Arc<str>) -> (Self, mpsc::Receiver<Command>) {
        let (commands, receiver) = mpsc::channel(1);
        (Self { stream, commands }, receiver)
    }

    /// The stream, as its descriptor names it.
    pub(super) fn stream(&self) -> &str {
        &self.stream
    }

    pub(crate) async fn to(&self, position: KinesisPosition) -> Result<(), KinesisError> {
        let (answer, answered) = oneshot::channel();
        self.commands
            .send(Command { position, answer })
            .await
            .map_err(|_| KinesisError::NotConnected)?;
        answered.await.map_err(|_| KinesisError::NotConnected)?
    }
}

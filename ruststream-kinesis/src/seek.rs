//! Repositioning a running subscription.

use std::fmt;

use ruststream::Seeker;

use crate::error::KinesisError;
use crate::position::KinesisPosition;
use crate::transport::Seek;

/// Repositions one subscription, from anywhere: a handler, another task, another runtime.
#[derive(Clone)]
pub struct KinesisSeeker {
    seek: Seek,
}

impl KinesisSeeker {
    pub(crate) fn new(seek: Seek) -> Self {
        Self { seek }
    }
}

impl Seeker for KinesisSeeker {
    type Position = KinesisPosition;
    type Error = KinesisError;

    /// Moves the subscription: when this returns, the next delivery is at the new position, and an
    /// acknowledgement of a record delivered before moves nothing. A lease store that keeps cursors
    /// was told of the position too, so that a shard's next owner goes on from it; where it failed,
    /// that is reported on the subscription. Dropping the future does not take the seek back.
    ///
    /// # Errors
    ///
    /// [`KinesisError::Read`] where the position is not one of this subscription's shards, or the
    /// service refuses it; the subscription has not moved then. [`KinesisError::NotConnected`] after
    /// the shutdown or once the subscription is dropped.
    async fn seek(&self, to: KinesisPosition) -> Result<(), KinesisError> {
        self.seek.to(to).await
    }
}

impl fmt::Debug for KinesisSeeker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KinesisSeeker").finish_non_exhaustive()
    }
}

//! The one glob a mounting file writes: the framework's prelude and this crate's surface.

pub use ruststream::prelude::*;
pub use ruststream::{Positioned, Seeker};

pub use crate::broker::KinesisBroker;
pub use crate::context::{KinesisBatchContext, KinesisContext, Position, SeekHandle};
pub use crate::position::KinesisPosition;
pub use crate::publish::{
    KinesisPublish as Publish, KinesisPublishOptions, KinesisPublishSettings, KinesisPublishSteps,
};
pub use crate::stream::{KinesisStream, KinesisSubscriberExt};

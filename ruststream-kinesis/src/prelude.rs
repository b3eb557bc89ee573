//! The one glob a mounting file writes: the framework's prelude and this crate's surface.
//!
//! Its `#[subscriber]` is [this crate's](macro@crate::subscriber), which takes every form of the
//! framework's. A file that imports the framework's prelude with a glob as well has two attributes
//! of that name: the compiler warns and takes the first. There, name one:
//! `use ruststream_kinesis::subscriber;`, or write `#[ruststream_kinesis::subscriber(..)]`.

pub use ruststream::prelude::*;
pub use ruststream::{Positioned, Seeker};
pub use ruststream_kinesis_macros::subscriber;

pub use crate::broker::KinesisBroker;
pub use crate::context::{KinesisBatchContext, KinesisContext, Position, SeekHandle};
#[cfg(feature = "dynamodb-lease")]
pub use crate::lease::DynamoLeaseStore;
pub use crate::position::KinesisPosition;
pub use crate::publish::{
    KinesisPublish as Publish, KinesisPublishOptions, KinesisPublishSettings, KinesisPublishSteps,
};
pub use crate::stream::{KinesisStream, KinesisSubscriberExt};

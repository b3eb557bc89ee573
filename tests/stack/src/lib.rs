//! Kinesis and, with the feature `dynamodb`, `DynamoDB` on loopback inside the calling process, each behind a layer of
//! scripted faults.
//!
//! ```no_run
//! use kinesis_stack::{Fault, KinesisStack, On};
//!
//! let stack = KinesisStack::start();
//! println!("point the SDK's endpoint_url at {}", stack.endpoint());
//!
//! // The next two reads of this shard are refused, everything else is served.
//! let shard = On::operation("GetRecords").shard("shardId-000000000000");
//! let rule = stack.faults().times(2, shard.clone(), Fault::Throttle);
//! assert_eq!(rule.hits(), 0);
//! assert_eq!(stack.calls().count(&shard), 0);
//! ```
//!
//! A stack runs on a thread and a runtime of its own, so it serves whatever the caller's runtime does: a paused clock, a
//! blocked worker or a runtime that ends do not stop it. Dropping the handle cuts every connection, ends the thread and
//! frees the port.
//!
//! Any credentials and any region are accepted; signatures are not verified. The endpoint speaks HTTP/1.1 and JSON,
//! which is what the AWS SDK for Rust sends.

mod calls;
#[cfg(feature = "dynamodb")]
mod dynamodb;
mod faults;
mod kinesis;
mod layer;
mod on;
mod server;
mod wire;
#[cfg(feature = "dynamodb")]
mod writes;

pub use calls::{Call, Calls};
#[cfg(feature = "dynamodb")]
pub use dynamodb::DynamoStack;
pub use faults::{Fault, Faults, Rewrite, Rule};
pub use kinesis::{KinesisBuilder, KinesisStack};
pub use on::On;
#[cfg(feature = "dynamodb")]
pub use writes::{Write, Writes};

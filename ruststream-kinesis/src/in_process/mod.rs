//! The in-process mode: a log in this process in place of the service.
//!
//! ```text
//! publisher ─► Log::put ─► Shard: records, arrival order ─► Subscription ─► KinesisMessage
//!                            ▲                                                  │
//!                            └── Seek, and a record left unhandled ◄── Delivery ┘
//! ```
//!
//! A record is stored as the publisher writes it for the service, and read back by the same
//! decoding. A stream is one shard; it keeps every record, and has one reader at most.

mod counts;
mod log;
mod sequence;
mod shard;
mod subscription;

pub(crate) use log::Log;
pub(crate) use subscription::{Delivery, Seek, Subscription};

//! Deeds: the calls, the tasks and the clocks behind a connected broker.

mod block;
mod budget;
mod calls;
mod clients;
mod connection;
mod coordinator;
mod create_stream;
mod held_lease;
mod lease_keeper;
mod live;
mod page;
mod progress;
mod reposition;
mod seek;
mod settlement;
mod shard;
mod shard_reader;
mod sharing;
#[cfg(test)]
mod simulation;
mod stop;
mod stream;
mod subscription;
mod take;
mod taking;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use self::connection::{Connection, Setup};
pub(crate) use self::seek::Seek;
pub(crate) use self::stream::ReadLimit;
pub(crate) use self::subscription::{Delivery, Subscription};

//! What an instance is told when it starts.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The settings of one instance, the one argument of its process, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Where Kinesis is.
    pub kinesis: String,
    /// Where `DynamoDB` is.
    pub dynamo: String,
    /// The stream it reads.
    pub stream: String,
    /// The table of its leases.
    pub table: String,
    /// Its name in the table.
    pub owner_id: String,
    /// How long its leases last.
    pub lease_ttl: Duration,
    /// How often it renews them.
    pub renew_every: Duration,
    /// The pause between reads of an idle shard.
    pub poll_interval: Duration,
    /// How often it stores checkpoints; with every acknowledgement where left out.
    pub checkpoint_interval: Option<Duration>,
    /// How many records it handles at once.
    pub workers: Concurrency,
    /// How long its handler takes.
    pub work: Duration,
    /// Where it starts; where its rows say, where left out.
    pub start_at: Option<Start>,
    /// How many shards it reads at most.
    pub max_leases: Option<usize>,
}

/// How many records an instance handles at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Concurrency {
    /// One.
    Sequential,
    /// That many, each key's in their order.
    ByKey(usize),
    /// That many, in any order.
    Pool(usize),
}

/// A position of the whole stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// The trim horizon.
    Horizon,
    /// The tip.
    Latest,
    /// An instant, in milliseconds since the epoch.
    Timestamp(u64),
}

/// What an instance does when a line of its standard input says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Moves its subscription.
    Seek(Start),
}

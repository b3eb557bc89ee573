//! How far the subscriptions of a broker have read.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::transport::{Link, Transport};

/// Shows how far the subscriptions of one broker have read.
///
/// Taken from the broker before it is registered; asking costs one lock per shard and no call.
#[derive(Clone)]
pub struct KinesisMonitor {
    link: Arc<Link>,
}

impl KinesisMonitor {
    pub(crate) fn new(link: Arc<Link>) -> Self {
        Self { link }
    }

    /// One entry per open subscription; nothing before the connect, after the shutdown, and in
    /// process, where nothing lags.
    #[must_use]
    pub fn streams(&self) -> Vec<StreamSnapshot> {
        self.link
            .transport()
            .map(Transport::snapshot)
            .unwrap_or_default()
    }
}

impl fmt::Debug for KinesisMonitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.streams()).finish()
    }
}

/// One subscription at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamSnapshot {
    /// The stream, as its descriptor names it.
    pub stream: String,
    /// The name this instance holds its leases under.
    pub owner: String,
    /// The instances that read the stream, this one among them; nobody where the lease store does
    /// not tell.
    pub members: Vec<String>,
    /// The shards this instance reads, by id.
    pub shards: Vec<ShardSnapshot>,
    /// The shards that are neither read here nor read to their end, by id, as the lease store was
    /// last seen: a second ago, and a second more for each hundred of them.
    pub elsewhere: Vec<ElsewhereSnapshot>,
    /// How often the service asked this instance to read less since the subscription opened.
    pub throttles: u64,
    /// How often a reader made a new iterator for where it was, the old one having expired or been
    /// refused.
    pub rewinds: u64,
    /// How often a lease ended that was not handed back: another instance took the shard, or no
    /// renewal was confirmed in time.
    pub lost_leases: u64,
}

/// A shard this instance does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ElsewhereSnapshot {
    /// The shard's id.
    pub shard: String,
    /// Who holds its lease; nothing where nobody does, as of a shard that waits for its parents or
    /// could not be taken, and where the lease store does not tell.
    pub owner: Option<String>,
    /// How far it was handled, where that is known.
    pub checkpoint: Option<String>,
}

/// One shard this instance reads, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardSnapshot {
    /// The shard's id.
    pub shard: String,
    /// The checkpoint in the lease store; nothing before the first.
    pub checkpoint: Option<String>,
    /// How far behind the tip the last read was, by the service's `MillisBehindLatest`; nothing
    /// before the first read.
    pub behind: Option<Duration>,
    /// How long ago that read was: what was published since may be behind without showing.
    pub read_ago: Option<Duration>,
    /// Records fetched whose settlement the watermark waits for.
    pub unsettled: u64,
    /// How long the watermark has waited for its oldest unsettled record, to within one renewal of
    /// the lease; nothing while no record is unsettled.
    pub held_for: Option<Duration>,
}

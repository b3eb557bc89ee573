//! Decisions: pure, told the time and the dice, fetching nothing.

pub(crate) mod aggregate;
pub(crate) mod backoff;
pub(crate) mod balance;
pub(crate) mod creation;
pub(crate) mod cursor;
pub(crate) mod cursor_text;
pub(crate) mod endpoint;
pub(crate) mod entry;
pub(crate) mod envelope;
pub(crate) mod lease;
pub(crate) mod members;
pub(crate) mod pacing;
pub(crate) mod packing;
pub(crate) mod partition_key;
pub(crate) mod prospect;
pub(crate) mod reader;
pub(crate) mod reposition;
pub(crate) mod row;
pub(crate) mod seen_row;
pub(crate) mod sequence_number;
#[cfg(any(test, feature = "dynamodb-lease"))]
pub(crate) mod server_clock;
pub(crate) mod shard_graph;
pub(crate) mod sharing;
pub(crate) mod store_time;
pub(crate) mod stream_ref;
pub(crate) mod subscription;
pub(crate) mod watermark;

#[cfg(test)]
mod tests;

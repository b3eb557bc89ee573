mod aggregate;
mod backoff;
mod balance;
mod creation;
mod cursor_text;
mod endpoint;
mod envelope;
mod fuzz;
mod gone;
mod layers;
mod lease;
mod members;
mod pacing;
mod packing;
mod partition_key;
mod prospect;
mod reader;
mod row;
mod sequence_number;
mod server_clock;
mod shards;
mod sharing;
mod stream_ref;
mod watermark;

use std::time::Instant;

/// Some instant to count from: what the rules are told is counted from it.
fn start() -> Instant {
    crate::clock::now()
}

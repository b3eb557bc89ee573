//! The answers to `GetRecords`, rendered as the service renders them.

use std::fmt::Write;

use base64_simd::STANDARD;
use bytes::Bytes;

use crate::order::Order;

/// Records in one full page. Source: `GetRecords` API reference.
const MOST_RECORDS: u64 = 10_000;
/// Bytes of records in one page. Source: `GetRecords` API reference.
const MOST_BYTES: u64 = 10 * 1024 * 1024;

/// Bytes of one order where its reading is timed.
const ORDER: usize = 200;
/// Shards the timed orders are spread over.
const SHARDS: u32 = 4;
/// Pages of one such shard; a shard answers five reads at once.
const PAGES: u64 = 5;
/// Every order of a timed run.
pub(crate) const ORDERS: u64 = SHARDS as u64 * PAGES * MOST_RECORDS;

/// Bytes of the records of a replay: as many as a page holds, as large as a stream can be set to,
/// and the largest that need no setting.
pub(crate) const REPLAYED_RECORDS: [usize; 3] = [1_024, 1_000_000, 10_000_000];

/// Shards of a replay.
const REPLAYED_SHARDS: u32 = 64;

/// What a server has to give.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stock {
    /// Two hundred thousand small orders, held back until the measurement begins.
    Orders,
    /// Full pages of records of that many bytes, without an end.
    Replay(usize),
}

impl Stock {
    pub(crate) fn parse(argument: &str) -> Option<Self> {
        match argument {
            "orders" => Some(Self::Orders),
            size => size.parse().ok().map(Self::Replay),
        }
    }

    pub(crate) const fn shards(self) -> u32 {
        match self {
            Self::Orders => SHARDS,
            Self::Replay(_) => REPLAYED_SHARDS,
        }
    }

    /// Whether reads wait until the measurement begins.
    pub(crate) const fn is_timed(self) -> bool {
        matches!(self, Self::Orders)
    }

    /// Every page that is worth rendering ahead, by shard.
    pub(crate) fn rendered(self) -> Vec<Vec<Bytes>> {
        match self {
            Self::Orders => (0..SHARDS)
                .map(|shard| (0..PAGES).map(|page| self.render(shard, page)).collect())
                .collect(),
            Self::Replay(_) => Vec::new(),
        }
    }

    /// One answer: a page, or no records past the last.
    pub(crate) fn render(self, shard: u32, page: u64) -> Bytes {
        let (records, length, left) = match self {
            Self::Orders => (
                if page < PAGES { MOST_RECORDS } else { 0 },
                ORDER,
                PAGES.saturating_sub(page + 1),
            ),
            Self::Replay(length) => (
                (MOST_BYTES / length as u64).clamp(1, MOST_RECORDS),
                length,
                1,
            ),
        };
        let next = page + u64::from(records > 0);
        let mut text = String::new();
        let _ = write!(
            text,
            r#"{{"MillisBehindLatest":{},"NextShardIterator":"{shard}:{next}","Records":["#,
            left * 1_000,
        );
        // A replay's payloads are alike: a timed run's are not, so that each can be told.
        let mut data = String::new();
        for record in 0..records {
            let ordinal = page * MOST_RECORDS + record;
            let id = u64::from(shard) * PAGES * MOST_RECORDS + ordinal;
            if data.is_empty() || self.is_timed() {
                data = STANDARD.encode_to_string(Order::json(id, length));
            }
            let comma = if record == 0 { "" } else { "," };
            let _ = write!(
                text,
                r#"{comma}{{"ApproximateArrivalTimestamp":1.7641E9,"Data":"{data}","PartitionKey":"customer-{:06}","SequenceNumber":"{}"}}"#,
                id % 1_000,
                sequence(shard, ordinal),
            );
        }
        text.push_str("]}");
        text.into()
    }
}

/// The sequence number of one record: 56 digits, growing along its shard.
pub(crate) fn sequence(shard: u32, ordinal: u64) -> String {
    format!("4967{shard:012}{ordinal:040}")
}

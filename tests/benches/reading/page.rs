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
pub(crate) const SHARDS: u32 = 4;
/// Pages of one such shard; a shard answers five reads at once.
const PAGES: u64 = 5;
/// Every order of a timed run.
pub(crate) const ORDERS: u64 = SHARDS as u64 * PAGES * MOST_RECORDS;
/// Orders of one shard where there are few, which is one page.
const FEW: u64 = 1_000;
/// Every order of a run with few.
pub(crate) const FEW_ORDERS: u64 = SHARDS as u64 * FEW;

/// Bytes of the records of a replay: as many as a page holds, as large as a stream can be set to,
/// and the largest that need no setting.
pub(crate) const REPLAYED_RECORDS: [usize; 3] = [1_024, 1_000_000, 10_000_000];

/// The page at which no records follow, whatever a server has to give.
pub(crate) const TIP: u64 = u64::MAX;

/// Pages that a shard is said to be behind at most.
const LEFT: u64 = PAGES;

/// Shards of a replay.
const REPLAYED_SHARDS: u32 = 64;

/// What a server has to give.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stock {
    /// Two hundred thousand small orders, held back until the measurement begins.
    Orders,
    /// Four thousand of them.
    Few,
    /// Full pages of small orders, without an end.
    Endless,
    /// Full pages of records of that many bytes, without an end.
    Replay(usize),
}

impl Stock {
    pub(crate) fn parse(argument: &str) -> Option<Self> {
        match argument {
            "orders" => Some(Self::Orders),
            "few" => Some(Self::Few),
            "endless" => Some(Self::Endless),
            size => size.parse().ok().map(Self::Replay),
        }
    }

    pub(crate) const fn shards(self) -> u32 {
        match self {
            Self::Orders | Self::Few | Self::Endless => SHARDS,
            Self::Replay(_) => REPLAYED_SHARDS,
        }
    }

    /// Whether reads wait until the measurement begins.
    pub(crate) const fn is_timed(self) -> bool {
        matches!(self, Self::Orders | Self::Few)
    }

    /// How many pages a shard has, and how many records each of them.
    const fn pages(self) -> (u64, u64) {
        match self {
            Self::Orders => (PAGES, MOST_RECORDS),
            Self::Few => (1, FEW),
            Self::Endless => (u64::MAX, MOST_RECORDS),
            Self::Replay(length) => {
                let records = MOST_BYTES / length as u64;
                // No `clamp` in a constant function.
                let records = if records > MOST_RECORDS {
                    MOST_RECORDS
                } else {
                    records
                };
                (u64::MAX, if records == 0 { 1 } else { records })
            }
        }
    }

    /// Bytes of one order.
    const fn length(self) -> usize {
        match self {
            Self::Replay(length) => length,
            _ => ORDER,
        }
    }

    /// Every page that is worth rendering ahead, by shard.
    pub(crate) fn rendered(self) -> Vec<Vec<Bytes>> {
        if !self.is_timed() {
            return Vec::new();
        }
        let (pages, _) = self.pages();
        (0..self.shards())
            .map(|shard| (0..pages).map(|page| self.render(shard, page)).collect())
            .collect()
    }

    /// One answer: a page, or no records past the last.
    pub(crate) fn render(self, shard: u32, page: u64) -> Bytes {
        let (pages, full) = self.pages();
        let records = if page < pages { full } else { 0 };
        let left = pages.saturating_sub(page.saturating_add(1)).min(LEFT);
        let next = page + u64::from(records > 0);
        let mut text = String::new();
        let _ = write!(
            text,
            r#"{{"MillisBehindLatest":{},"NextShardIterator":"{shard}:{next}","Records":["#,
            left * 1_000,
        );
        // Only a timed run's payloads differ, so that each can be told.
        let mut data = String::new();
        for record in 0..records {
            let ordinal = page * full + record;
            let id = u64::from(shard) * pages.min(PAGES) * full + ordinal;
            if data.is_empty() || self.is_timed() {
                data = STANDARD.encode_to_string(Order::json(id, self.length()));
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

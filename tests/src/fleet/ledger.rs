//! The lease table as its writes changed it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kinesis_stack::Write;
use serde_json::Value;

use super::event::clock;

/// The attributes of a row that the checks read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Who holds the lease.
    pub owner: Option<String>,
    /// The fencing counter.
    pub counter: Option<u64>,
    /// How far the shard was read.
    pub checkpoint: Option<String>,
    /// Where its reader opened or was moved to.
    pub cursor: Option<String>,
}

/// One write to the row of one shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowWrite {
    /// The shard.
    pub shard: String,
    /// Who wrote, where the request names an owner.
    pub writer: Option<String>,
    /// Whether it was applied; its condition may have failed.
    pub applied: bool,
    /// The row before it.
    pub before: Row,
    /// The row after it.
    pub after: Row,
    /// When it was served, by [`clock`].
    pub at: Duration,
}

/// Every write to the rows of one stream's shards, in the order they were served.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger(pub Vec<RowWrite>);

/// A lease that went to another owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The shard.
    pub shard: String,
    /// Who had it until then, unless it was free.
    pub from: Option<String>,
    /// Who took it.
    pub by: String,
    /// When.
    pub at: Duration,
}

impl Ledger {
    /// What of a stack's writes went to the rows of `stream`.
    #[must_use]
    pub fn of(writes: &[Write], stream: &str) -> Self {
        let rows = format!("{stream}:");
        let (now, here) = (clock(), Instant::now());
        let writes = writes.iter().filter_map(|write| {
            let key = write.key["lease_key"]["S"].as_str()?;
            let shard = key.strip_prefix(&rows)?;
            shard.starts_with("shardId-").then(|| RowWrite {
                shard: shard.to_owned(),
                writer: writer(&write.request),
                applied: write.applied,
                before: Row::of(write.before.as_ref()),
                after: Row::of(write.after.as_ref()),
                at: now.saturating_sub(here.saturating_duration_since(write.at)),
            })
        });
        Self(writes.collect())
    }

    /// The writes that were applied.
    pub fn applied(&self) -> impl Iterator<Item = &RowWrite> {
        self.0.iter().filter(|write| write.applied)
    }

    /// Each time a shard went to another owner than the one that had it last.
    #[must_use]
    pub fn taken(&self) -> Vec<Taken> {
        let taken = self.applied().filter_map(|write| {
            let by = write.after.owner.clone()?;
            (write.before.owner.as_ref() != Some(&by)).then(|| Taken {
                shard: write.shard.clone(),
                from: write.before.owner.clone(),
                by,
                at: write.at,
            })
        });
        taken.collect()
    }

    /// When each shard was handed back last.
    #[must_use]
    pub fn released(&self) -> BTreeMap<String, Duration> {
        let released = self
            .applied()
            .filter(|write| write.before.owner.is_some() && write.after.owner.is_none());
        released
            .map(|write| (write.shard.clone(), write.at))
            .collect()
    }

    /// The rows as they are now, by shard.
    #[must_use]
    pub fn rows(&self) -> BTreeMap<String, Row> {
        let rows = self.applied();
        rows.map(|write| (write.shard.clone(), write.after.clone()))
            .collect()
    }

    /// The shards each owner holds now.
    #[must_use]
    pub fn held(&self) -> BTreeMap<String, Vec<String>> {
        let mut held: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (shard, row) in self.rows() {
            if let Some(owner) = row.owner {
                held.entry(owner).or_default().push(shard);
            }
        }
        held
    }
}

impl Row {
    fn of(item: Option<&Value>) -> Self {
        let text = |name: &str| {
            let text = item?[name]["S"].as_str()?;
            Some(text.to_owned())
        };
        Self {
            owner: text("lease_owner").filter(|owner| !owner.is_empty()),
            counter: item.and_then(|item| item["lease_counter"]["N"].as_str()?.parse().ok()),
            checkpoint: text("checkpoint"),
            cursor: text("lease_cursor"),
        }
    }
}

/// The owner a request names: an id, a slash and the sixteen digits drawn at connect.
fn writer(request: &Value) -> Option<String> {
    let values = [&request["ExpressionAttributeValues"], &request["Item"]];
    let mut texts = values
        .into_iter()
        .filter_map(Value::as_object)
        .flat_map(|values| values.values())
        .filter_map(|value| value["S"].as_str());
    let owner = texts.find(|text| {
        let nonce = text.rsplit_once('/').map(|(_, nonce)| nonce);
        nonce.is_some_and(|nonce| {
            nonce.len() == 16 && nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    });
    owner.map(str::to_owned)
}

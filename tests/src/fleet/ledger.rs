//! The lease table as its writes changed it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, UNIX_EPOCH};

use kinesis_stack::Write;
use serde_json::Value;

use super::event::clock;

/// The attributes of a row that the checks read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Who holds the lease.
    pub owner: Option<String>,
    /// When the lease ends, in milliseconds since the epoch by the clock of the table's service.
    pub expiry: Option<u64>,
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
    /// When its turn came, in milliseconds since the epoch by the clock of the table's service.
    pub date: u64,
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
    /// Takes in what of a stack's writes went to the rows of `stream`.
    pub fn extend(&mut self, writes: &[Write], stream: &str) {
        let rows = format!("{stream}:");
        let (now, here) = (clock(), Instant::now());
        let writes = writes.iter().filter_map(|write| {
            let key = write.key["lease_key"]["S"].as_str()?;
            let shard = key.strip_prefix(&rows)?;
            let date = write.date.duration_since(UNIX_EPOCH).unwrap_or_default();
            shard.starts_with("shardId-").then(|| RowWrite {
                shard: shard.to_owned(),
                writer: writer(&write.request),
                applied: write.applied,
                before: Row::of(write.before.as_ref()),
                after: Row::of(write.after.as_ref()),
                at: now.saturating_sub(here.saturating_duration_since(write.at)),
                date: u64::try_from(date.as_millis()).unwrap_or(u64::MAX),
            })
        });
        self.0.extend(writes);
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
        let rows = self.last_writes().into_iter();
        rows.map(|(shard, write)| (shard.to_owned(), write.after.clone()))
            .collect()
    }

    /// The last write to each row.
    fn last_writes(&self) -> BTreeMap<&str, &RowWrite> {
        let writes = self.applied();
        writes.map(|write| (&*write.shard, write)).collect()
    }

    /// The shards each owner holds now.
    #[must_use]
    pub fn held(&self) -> BTreeMap<String, Vec<String>> {
        let mut held: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (shard, write) in self.last_writes() {
            if let Some(owner) = &write.after.owner {
                let of_owner = held.entry(owner.clone()).or_default();
                of_owner.push(shard.to_owned());
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
        let number = |name: &str| item?[name]["N"].as_str()?.parse().ok();
        Self {
            owner: text("lease_owner").filter(|owner| !owner.is_empty()),
            expiry: number("lease_expiry"),
            counter: number("lease_counter"),
            checkpoint: text("checkpoint"),
            cursor: text("lease_cursor"),
        }
    }
}

/// The owner that a request enters, or else the one it is conditional on.
fn writer(request: &Value) -> Option<String> {
    let update = request["UpdateExpression"].as_str().unwrap_or_default();
    let is_set = |placeholder: &str| update.split([' ', ',']).any(|part| part == placeholder);
    let values = [&request["ExpressionAttributeValues"], &request["Item"]];
    let owners: Vec<_> = values
        .into_iter()
        .filter_map(Value::as_object)
        .flatten()
        .filter_map(|(name, value)| Some((name, value["S"].as_str()?)))
        .filter(|(_, text)| is_owner(text))
        .collect();
    let entered = owners.iter().find(|(name, _)| is_set(name));
    let owner = entered.or_else(|| owners.first());
    owner.map(|(_, owner)| (*owner).to_owned())
}

/// Whether it is an id, a slash and the sixteen digits drawn at connect.
fn is_owner(text: &str) -> bool {
    let nonce = text.rsplit_once('/').map(|(_, nonce)| nonce);
    nonce.is_some_and(|nonce| {
        nonce.len() == 16 && nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

//! How a row stands in the table.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::rules::members::{Announced, Members};
use crate::rules::row::{Lease, Row};

/// The partition key: `stream:shard`.
pub(super) const KEY: &str = "lease_key";
pub(super) const OWNER: &str = "lease_owner";
/// Milliseconds since the Unix epoch, by the clock of `DynamoDB`.
pub(super) const EXPIRY: &str = "lease_expiry";
/// The fencing counter: how many writes the row has seen.
pub(super) const COUNTER: &str = "lease_counter";
pub(super) const CHECKPOINT: &str = "checkpoint";
pub(super) const CURSOR: &str = "lease_cursor";
/// Milliseconds since the Unix epoch.
pub(super) const STREAM_CREATED: &str = "lease_stream_created";

/// What the row of a stream's members is called in place of a shard: no shard id can be that, since
/// the service names its shards `shardId-` and a number.
pub(super) const MEMBERS: &str = "members";
/// What the attribute of a member begins with, before its owner.
const MEMBER: &str = "member/";
pub(super) const MEMBER_EXPIRY: &str = "expiry";
const MEMBER_MAX_LEASES: &str = "max_leases";

pub(super) type Item = HashMap<String, AttributeValue>;

/// An attribute that is not of the type it must have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) String);

/// The row that an item holds.
pub(super) fn row(item: &Item) -> Result<Row, Malformed> {
    let owner = text(item, OWNER)?.filter(|owner| !owner.is_empty());
    let expiry = number(item, EXPIRY)?.unwrap_or_default();
    Ok(Row {
        lease: owner.map(|owner| Lease {
            owner,
            expiry,
            reads: None,
        }),
        counter: number(item, COUNTER)?.unwrap_or_default(),
        checkpoint: text(item, CHECKPOINT)?,
        cursor: text(item, CURSOR)?,
        stream_created: number(item, STREAM_CREATED)?,
    })
}

/// What a row stores under each attribute but its key and its counter; nothing where the attribute
/// is absent.
pub(super) fn attributes(row: &Row) -> [(&'static str, Option<AttributeValue>); 5] {
    let lease = row.lease.as_ref();
    [
        (OWNER, lease.map(|lease| string(&lease.owner))),
        (EXPIRY, lease.map(|lease| count(lease.expiry))),
        (CHECKPOINT, row.checkpoint.as_deref().map(string)),
        (CURSOR, row.cursor.as_deref().map(string)),
        (STREAM_CREATED, row.stream_created.map(count)),
    ]
}

/// The members that an item holds.
pub(super) fn members(item: &Item) -> Result<Members, Malformed> {
    let entries = item.iter().filter_map(|(name, value)| {
        let owner = name.strip_prefix(MEMBER)?;
        Some((owner, value.as_m().map_err(|_| malformed(name))))
    });
    entries
        .map(|(owner, said)| {
            let said = said?;
            let announced = Announced {
                expiry: number(said, MEMBER_EXPIRY)?.unwrap_or_default(),
                max_leases: number(said, MEMBER_MAX_LEASES)?
                    .map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
            };
            Ok((owner.to_owned(), announced))
        })
        .collect()
}

/// The attribute of a member.
pub(super) fn member_name(owner: &str) -> String {
    format!("{MEMBER}{owner}")
}

/// What a member's attribute holds.
pub(super) fn member(announced: Announced) -> AttributeValue {
    let expiry = (MEMBER_EXPIRY.to_owned(), count(announced.expiry));
    let most = announced.max_leases.map(|most| {
        let most = AttributeValue::N(most.to_string());
        (MEMBER_MAX_LEASES.to_owned(), most)
    });
    AttributeValue::M([expiry].into_iter().chain(most).collect())
}

pub(super) fn string(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

pub(super) fn count(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn text(item: &Item, name: &str) -> Result<Option<String>, Malformed> {
    let value = item.get(name).map(AttributeValue::as_s).transpose();
    value
        .map(Option::<&String>::cloned)
        .map_err(|_| malformed(name))
}

fn number(item: &Item, name: &str) -> Result<Option<u64>, Malformed> {
    let Some(value) = item.get(name) else {
        return Ok(None);
    };
    let number = value.as_n().ok().and_then(|number| number.parse().ok());
    number.map(Some).ok_or_else(|| malformed(name))
}

fn malformed(name: &str) -> Malformed {
    Malformed(format!("its {name} is not what it must be"))
}

//! The instances that read a stream.
//!
//! Each has an attribute in one row. It is written by the instance alone, on the condition that it
//! is what the instance wrote last, and removed by whoever finds that its time is long over. So an
//! announcement that was given up on lands neither after a later one nor after the departure; the
//! very first one may, and counts until its time is over.

use std::time::Duration;

use aws_sdk_dynamodb::types::ReturnValue;

use super::DynamoLeaseStore;
use super::expression::Expression;
use super::item::{self, Item};
use super::table::Put;
use crate::lease::{LeaseError, LeaseKey, Member};
use crate::rules::members::Members;

/// How often an announcement is made again that one of the same instance came before.
const ATTEMPTS: usize = 4;

/// The key of the row of a stream's members.
pub(super) fn members_key(stream: &str) -> String {
    LeaseKey::new(stream, item::MEMBERS).to_string()
}

impl DynamoLeaseStore {
    pub(super) async fn announce_member(
        &self,
        stream: &str,
        member: &Member,
        ttl: Duration,
    ) -> Result<Vec<Member>, LeaseError> {
        let key = members_key(stream);
        if self.table.known_time().is_none() {
            let item = self.table.get(&key).await?;
            self.found_members(stream, item.as_ref())?;
        }
        for _ in 0..ATTEMPTS {
            let known = self.known.members(stream);
            let mut wanted = known.clone();
            wanted.announce(&member.owner, member.max_leases, ttl, self.table.now()?);
            let announced = wanted.entry(&member.owner);
            let entry = Expression::announce(&member.owner, &known, &wanted);
            let (item, is_stored) =
                match self.table.update(&key, entry, ReturnValue::AllNew).await? {
                    Put::Stored(item) => (Some(item), true),
                    Put::Refused(item) => (item, false),
                };
            let found = self.found_members(stream, item.as_ref())?;
            // Refused, it may be there all the same: the reply to the first attempt was lost.
            if is_stored || found.entry(&member.owner) == announced {
                return Ok(Member::present(&found, self.table.now()?));
            }
        }
        let text = format!("the row `{key}` changed {ATTEMPTS} times while it was to be written");
        Err(self.table.error(text).into())
    }

    pub(super) async fn depart_member(&self, stream: &str, owner: &str) -> Result<(), LeaseError> {
        let departed = Expression::depart(owner);
        let key = members_key(stream);
        // Refused where there is no such row, which comes to the same.
        self.table.update(&key, departed, ReturnValue::None).await?;
        self.known.departed(stream, owner);
        Ok(())
    }

    /// The members that an item holds, remembered.
    pub(super) fn found_members(
        &self,
        stream: &str,
        item: Option<&Item>,
    ) -> Result<Members, LeaseError> {
        let members = item.map(item::members).transpose();
        let members = members
            .map_err(|malformed| self.table.malformed(&members_key(stream), malformed))?
            .unwrap_or_default();
        self.known.found_members(stream, &members);
        Ok(members)
    }
}

//! Many rows at once.

use std::collections::{HashMap, HashSet};

use futures::stream::{self, StreamExt, TryStreamExt};

use super::DynamoLeaseStore;
use super::item::Item;
use super::members::members_key;
use super::table::KEYS_A_BATCH;
use crate::clock;
use crate::lease::{LeaseError, LeaseKey, LeaseState, Member, Survey};
use crate::rules::members::Members;
use crate::rules::row::Row;

/// How many rows of an earlier version are copied at once.
const COPIES_AT_ONCE: usize = 8;

impl DynamoLeaseStore {
    pub(super) async fn survey_rows(
        &self,
        stream: &str,
        shards: &[&str],
    ) -> Result<Survey, LeaseError> {
        let mut named = HashSet::with_capacity(shards.len());
        let keys: Vec<_> = shards
            .iter()
            .filter(|shard| named.insert(**shard))
            .map(|shard| LeaseKey::new(stream, *shard))
            .collect();
        let (mut rows, members) = self.own_rows(stream, &keys).await?;
        self.bare_rows(&keys, &mut rows).await?;

        let now = self.table.now()?;
        let states = shards.iter().map(|shard| {
            let row = rows.get(*shard).and_then(Option::as_ref);
            row.map(|row| LeaseState::of(row, now)).unwrap_or_default()
        });
        Ok(Survey::new(
            states.collect(),
            Member::present(&members, now),
        ))
    }

    /// The rows under the shards' own keys, by shard, and the members.
    async fn own_rows(
        &self,
        stream: &str,
        keys: &[LeaseKey],
    ) -> Result<(HashMap<String, Option<Row>>, Members), LeaseError> {
        let asked = clock::now();
        let members_key = members_key(stream);
        let mut names: Vec<_> = keys.iter().map(ToString::to_string).collect();
        // The members take a place that the last batch has left, and otherwise a call of their own. A
        // single row makes no batch.
        let has_room = names.len() > 1 && !names.len().is_multiple_of(KEYS_A_BATCH);
        let (mut items, members) = if has_room {
            names.push(members_key.clone());
            let mut items = self.table.get_many(&names).await?;
            let members = items.remove(&members_key);
            (items, members)
        } else {
            futures::try_join!(self.table.get_many(&names), self.table.get(&members_key))?
        };
        let members = self.found_members(stream, members.as_ref())?;
        let mut rows = HashMap::with_capacity(keys.len());
        for (key, name) in keys.iter().zip(&names) {
            let row = self.row(name, items.remove(name).as_ref())?;
            rows.insert(key.shard().to_owned(), self.known.found(key, row, asked));
        }
        Ok((rows, members))
    }

    /// Looks at the rows of earlier versions, and copies what resumes from them.
    async fn bare_rows(
        &self,
        keys: &[LeaseKey],
        rows: &mut HashMap<String, Option<Row>>,
    ) -> Result<(), LeaseError> {
        let may_resume = |key: &&LeaseKey| {
            let row = rows.get(key.shard()).and_then(Option::as_ref);
            self.may_resume_bare(key, row) && !self.known.has_no_bare_row(key.shard())
        };
        let keys: Vec<_> = keys.iter().filter(may_resume).collect();
        let names: Vec<_> = keys.iter().map(|key| key.shard().to_owned()).collect();
        let bare: HashMap<String, Item> = self.table.get_many(&names).await?;
        let mut calls = Vec::new();
        for key in keys {
            let checkpoint = self.found_bare(key, bare.get(key.shard()))?;
            // A shard that is refused is left as its own row says: taking it says so.
            if let Some(checkpoint) = checkpoint.filter(|_| self.legacy_stream.is_some()) {
                let known = rows.get(key.shard()).cloned().flatten();
                calls.push(async move {
                    let row = self.copy_bare(key, known, &checkpoint).await?;
                    Ok::<_, LeaseError>((key.shard().to_owned(), row))
                });
            }
        }
        let calls = stream::iter(calls).buffer_unordered(COPIES_AT_ONCE);
        let copied: Vec<_> = calls.try_collect().await?;
        rows.extend(copied);
        Ok(())
    }
}

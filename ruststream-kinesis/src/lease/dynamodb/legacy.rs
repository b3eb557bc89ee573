//! The bare rows of earlier versions, whose key is the shard's id alone.
//!
//! A bare row names no stream, so it counts for the stream the store was told, and for no other. A
//! shard whose own row has a checkpoint needs none: its bare row is not looked at.

use super::DynamoLeaseStore;
use super::item::Item;
use crate::lease::{LeaseError, LeaseKey};
use crate::rules::row::Row;

impl DynamoLeaseStore {
    /// Whether a bare row may hold the progress of that shard.
    pub(super) fn may_resume_bare(&self, key: &LeaseKey, row: Option<&Row>) -> bool {
        let has_progress = row.is_some_and(|row| row.checkpoint.is_some());
        let legacy = self.legacy_stream.as_deref();
        !has_progress && legacy.is_none_or(|legacy| legacy == key.stream())
    }

    /// The checkpoint of the shard's bare row, where the shard resumes from that.
    pub(super) async fn bare_checkpoint(
        &self,
        key: &LeaseKey,
        row: Option<&Row>,
    ) -> Result<Option<String>, LeaseError> {
        if !self.may_resume_bare(key, row) {
            return Ok(None);
        }
        let bare = self.table.get(key.shard()).await?;
        match self.found_bare(key, bare.as_ref())? {
            Some(_) if self.legacy_stream.is_none() => Err(self.refused(key)),
            checkpoint => Ok(checkpoint),
        }
    }

    /// What an item under the shard's id holds; that it holds nothing is remembered.
    pub(super) fn found_bare(
        &self,
        key: &LeaseKey,
        bare: Option<&Item>,
    ) -> Result<Option<String>, LeaseError> {
        let bare = self.row(key.shard(), bare)?;
        let checkpoint = bare.and_then(|row| row.checkpoint);
        if checkpoint.is_none() {
            self.known.found_no_bare_row(key.shard());
        }
        Ok(checkpoint)
    }

    /// Copies that checkpoint into the shard's own row, unless it has one by now; the row as it is
    /// then.
    pub(super) async fn copy_bare(
        &self,
        key: &LeaseKey,
        known: Option<Row>,
        checkpoint: &str,
    ) -> Result<Option<Row>, LeaseError> {
        let copied = self.write(key, known, None, |row| {
            let adopted = row.adopt(checkpoint);
            Ok(adopted.then(|| row.clone()))
        });
        match copied.await? {
            Some(row) => Ok(Some(row)),
            None => self.get(key).await,
        }
    }

    fn refused(&self, key: &LeaseKey) -> LeaseError {
        let (stream, shard) = (key.stream(), key.shard());
        let text = format!(
            "shard `{shard}` of stream `{stream}` is not read: the row `{shard}`, which an earlier \
             version wrote, holds a checkpoint and names no stream. Name the stream that it is of \
             with `DynamoLeaseStore::legacy_stream`, or delete the row",
        );
        self.table.error(text).into()
    }
}

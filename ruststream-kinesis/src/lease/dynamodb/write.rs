//! Writing to a row.
//!
//! A write is conditional on the owner and on the counter of the row it was decided on, and counts
//! the counter up. So the writes of one owner form a chain: of all that were sent on one counter,
//! one is stored, and a write that was given up on can never land after a later one. A refusal
//! brings the row along. If that is what the write was to make of it, its first reply was lost, or
//! the SDK sent it twice; if it is still the owner's, another of its writes came first, and this one
//! is decided again.

use std::time::Duration;

use aws_sdk_dynamodb::types::ReturnValue;
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;

use super::expression::Expression;
use super::item;
use super::table::Put;
use super::{DynamoLeaseStore, Item};
use crate::clock;
use crate::lease::{LeaseError, LeaseKey};
use crate::rules::row::Row;

/// How long a write waits for the one before it, which may be stuck. The row decides between them
/// all the same: this only keeps writers that never pause from passing each other by.
const TURN: Duration = Duration::from_millis(250);

/// How often a write is decided again before the row is said to change too often.
const DECISIONS: usize = 16;

type Turn = OwnedMutexGuard<()>;

impl DynamoLeaseStore {
    /// Writes to the row of a lease that `owner` holds. `false` where another holds it.
    pub(super) async fn write_held(
        &self,
        key: &LeaseKey,
        owner: &str,
        decide: impl Fn(&mut Row) -> Result<bool, LeaseError> + Send + Sync,
    ) -> Result<bool, LeaseError> {
        let turn = self.turn(key).await;
        let known = match self.known.held(key, owner) {
            Some(row) => Some(row),
            None => self.get(key).await?,
        };
        let written = self.write(key, known, turn, |row| Ok(decide(row)?.then_some(())));
        Ok(written.await?.is_some())
    }

    /// Waits for the writers of the row that are before this one, as long as it may.
    async fn turn(&self, key: &LeaseKey) -> Option<Turn> {
        timeout(TURN, self.known.turns(key).lock_owned()).await.ok()
    }

    /// Writes what `decide` makes of the row, beginning with the row that is `known`; nothing where
    /// it refuses the row that is stored. A write that is refused waits for its turn, if it has not.
    pub(super) async fn write<T: Send>(
        &self,
        key: &LeaseKey,
        mut known: Option<Row>,
        mut turn: Option<Turn>,
        decide: impl Fn(&mut Row) -> Result<Option<T>, LeaseError> + Send + Sync,
    ) -> Result<Option<T>, LeaseError> {
        let name = key.to_string();
        for refusals in 0..DECISIONS {
            let mut wanted = known.clone().unwrap_or_default();
            let Some(answer) = decide(&mut wanted)? else {
                return Ok(None);
            };
            if refusals > 0
                && known
                    .as_ref()
                    .is_some_and(|row| row.says_the_same_as(&wanted))
            {
                return Ok(Some(answer));
            }
            let asked = clock::now();
            let change = Expression::change(known.as_ref(), &wanted);
            let found = match self.table.update(&name, change, ReturnValue::None).await? {
                Put::Stored(_) => {
                    self.known.wrote(key, wanted);
                    return Ok(Some(answer));
                }
                Put::Refused(found) => self.row(&name, found.as_ref())?,
            };
            if found.as_ref().is_some_and(|row| row.is_stored_as(&wanted)) {
                self.known.wrote(key, wanted);
                return Ok(Some(answer));
            }
            known = self.known.found(key, found, asked);
            if turn.is_none() {
                turn = self.turn(key).await;
            }
        }
        let text = format!("the row `{name}` changed {DECISIONS} times while it was to be written");
        Err(self.table.error(text).into())
    }

    /// The row as every write before this call left it.
    pub(super) async fn get(&self, key: &LeaseKey) -> Result<Option<Row>, LeaseError> {
        let name = key.to_string();
        let asked = clock::now();
        let item = self.table.get(&name).await?;
        let row = self.row(&name, item.as_ref())?;
        Ok(self.known.found(key, row, asked))
    }

    /// The row that an item holds.
    pub(super) fn row(&self, name: &str, item: Option<&Item>) -> Result<Option<Row>, LeaseError> {
        let row = item.map(item::row).transpose();
        row.map_err(|malformed| self.table.malformed(name, malformed))
    }
}

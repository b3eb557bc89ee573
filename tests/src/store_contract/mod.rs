//! What each call of a lease store does: bodies that run over every store of the crate.

#![expect(
    clippy::missing_panics_doc,
    reason = "a body panics where the store breaks its promise"
)]
#![expect(missing_docs, reason = "a body is named as the sentence it holds")]

pub mod instances;
pub mod lease;
pub mod row;

use std::sync::Arc;
use std::time::Duration;

use ruststream_kinesis::{LeaseKey, LeaseState, LeaseStore, Opening};

/// How long the leases of these bodies last.
pub const LEASE: Duration = Duration::from_mins(1);
/// Not yet the end of such a lease, by any clock.
pub const NOT_YET_OVER: Duration = Duration::from_secs(40);
/// Past the end of such a lease, by every clock.
pub const OVER: Duration = Duration::from_secs(90);

/// What a body runs on: one place where leases are kept.
pub trait Place: Sync {
    /// A store in that place, as another process has it.
    fn store(&self) -> Arc<dyn LeaseStore>;

    /// Lets time pass in that place.
    fn pass(&self, time: Duration) -> impl Future<Output = ()> + Send;
}

/// One shard as one owner sees it.
pub struct Shard {
    store: Arc<dyn LeaseStore>,
    key: LeaseKey,
    owner: &'static str,
}

impl Shard {
    /// The first shard of `orders`, through a store of `owner`'s own.
    pub fn of(place: &impl Place, owner: &'static str) -> Self {
        Self {
            store: place.store(),
            key: LeaseKey::new("orders", "shardId-000000000000"),
            owner,
        }
    }

    /// The same owner's shard under another key.
    #[must_use]
    pub fn under(&self, key: LeaseKey) -> Self {
        Self {
            store: Arc::clone(&self.store),
            key,
            owner: self.owner,
        }
    }

    /// `acquire`
    pub async fn acquire(&self) -> bool {
        let answer = self.store.acquire(&self.key, self.owner, LEASE).await;
        answer.expect("the store answers")
    }

    /// `take`
    pub async fn take(&self, opening: &Opening) -> Option<LeaseState> {
        let answer = self.store.take(&self.key, self.owner, LEASE, opening).await;
        answer.expect("the store answers")
    }

    /// `renew`
    pub async fn renew(&self) -> bool {
        let answer = self.store.renew(&self.key, self.owner, LEASE).await;
        answer.expect("the store answers")
    }

    /// `checkpoint`
    pub async fn checkpoint(&self, sequence: &str) -> bool {
        let answer = self.store.checkpoint(&self.key, self.owner, sequence).await;
        answer.expect("the store answers")
    }

    /// `keep_cursor`
    pub async fn keep_cursor(&self, cursor: &str) -> bool {
        let answer = self.store.keep_cursor(&self.key, self.owner, cursor).await;
        answer.expect("the store answers")
    }

    /// `read`
    pub async fn read(&self) -> LeaseState {
        let answer = self.store.read(&self.key).await;
        answer.expect("the store answers")
    }

    /// `release`
    pub async fn release(&self) {
        let answer = self.store.release(&self.key, self.owner).await;
        answer.expect("the store answers");
    }
}

/// A taker's word, with a cursor or without.
#[must_use]
pub fn opening(cursor: Option<&str>, stream_created: Option<u64>) -> Opening {
    let mut opening = Opening::default();
    opening.cursor = cursor.map(str::to_owned);
    opening.stream_created = stream_created;
    opening
}

/// Runs every body on a place that `$place` makes, each as a test of its name.
#[macro_export]
macro_rules! store_contract {
    ($test:meta, $place:expr) => {
        $crate::store_contract! { @ $test, $place,
            lease::acquire_takes_a_shard_for_an_owner_and_steals_a_lease_that_has_expired
            lease::acquire_renews_what_its_owner_holds_already
            lease::renew_heartbeats_a_lease_and_fails_once_another_owner_has_taken_the_shard
            lease::an_expired_lease_is_its_owners_until_another_takes_it
            lease::checkpoint_records_progress_while_the_owner_still_holds_the_lease
            lease::release_hands_a_shard_back_without_waiting_for_the_expiry_and_keeps_its_checkpoint
            lease::shards_of_one_id_belong_to_their_streams
            lease::of_many_owners_that_ask_at_once_one_gets_the_shard
            row::read_returns_the_stored_state_and_the_default_one_where_there_is_none
            row::read_names_the_owner_of_a_lease_until_it_is_over
            row::a_cursor_is_kept_beside_the_checkpoint_and_ends_with_the_next
            row::take_acquires_and_answers_the_row_as_it_was_before
            row::take_keeps_the_cursor_where_the_row_says_nothing
            row::take_leaves_the_progress_of_a_row_alone
            row::take_replaces_what_a_row_says_where_a_position_was_asked_for
            row::a_stale_row_taken_with_a_cursor_is_of_the_new_stream
            row::a_stale_row_taken_without_a_cursor_is_known_as_stale_until_something_is_stored
            instances::a_survey_shows_each_shard_in_the_order_asked_and_the_members
            instances::an_announced_instance_is_seen_until_its_time_is_over
            instances::an_instance_that_departs_is_gone_at_once
            instances::the_members_of_one_stream_are_not_those_of_another
        }
    };
    (@ $test:meta, $place:expr, $($area:ident::$body:ident)+) => {
        $(
            #[$test]
            async fn $body() {
                $crate::store_contract::$area::$body(&$place).await;
            }
        )+
    };
}

//! What each call of a lease store does, over the default one.

use std::time::Duration;

use ruststream_kinesis::{LeaseKey, LeaseState, LeaseStore, MemoryLeaseStore};

const LEASE: Duration = Duration::from_secs(10);
const MOMENT: Duration = Duration::from_millis(1);
const LEASE_BUT_A_MOMENT: Duration = Duration::from_millis(9_999);

/// The store's answers about one shard.
struct Shard {
    store: MemoryLeaseStore,
    key: LeaseKey,
}

impl Shard {
    fn new() -> Self {
        Self {
            store: MemoryLeaseStore::new(),
            key: LeaseKey::new("orders", "shardId-000000000000"),
        }
    }

    async fn acquire(&self, owner: &str) -> bool {
        let answer = self.store.acquire(&self.key, owner, LEASE).await;
        answer.expect("memory does not fail")
    }

    async fn renew(&self, owner: &str) -> bool {
        let answer = self.store.renew(&self.key, owner, LEASE).await;
        answer.expect("memory does not fail")
    }

    async fn checkpoint(&self, owner: &str, sequence: &str) -> bool {
        let answer = self.store.checkpoint(&self.key, owner, sequence).await;
        answer.expect("memory does not fail")
    }

    async fn release(&self, owner: &str) {
        let answer = self.store.release(&self.key, owner).await;
        answer.expect("memory does not fail");
    }

    async fn stored(&self) -> Option<String> {
        let answer = self.store.read(&self.key).await;
        answer.expect("memory does not fail").checkpoint
    }
}

#[test]
fn a_lease_key_is_the_stream_and_the_shard() {
    let key = LeaseKey::new("orders", "shardId-000000000000");
    assert_eq!(
        (key.stream(), key.shard()),
        ("orders", "shardId-000000000000")
    );
    assert_eq!(key.to_string(), "orders:shardId-000000000000");
}

#[tokio::test(start_paused = true)]
async fn acquire_takes_a_shard_for_an_owner_and_steals_a_lease_that_has_expired() {
    let shard = Shard::new();
    assert!(shard.acquire("first").await);
    tokio::time::advance(LEASE_BUT_A_MOMENT).await;
    assert!(!shard.acquire("second").await);
    tokio::time::advance(MOMENT).await;
    assert!(shard.acquire("second").await);
}

#[tokio::test(start_paused = true)]
async fn renew_heartbeats_a_lease_and_fails_once_another_owner_has_taken_the_shard() {
    let shard = Shard::new();
    assert!(!shard.renew("first").await);
    assert!(shard.acquire("first").await);
    tokio::time::advance(LEASE_BUT_A_MOMENT).await;
    assert!(shard.renew("first").await);
    tokio::time::advance(LEASE_BUT_A_MOMENT).await;
    assert!(!shard.acquire("second").await);
    tokio::time::advance(MOMENT).await;
    assert!(shard.acquire("second").await);
    assert!(!shard.renew("first").await);
}

#[tokio::test(start_paused = true)]
async fn checkpoint_records_progress_while_the_owner_still_holds_the_lease() {
    let shard = Shard::new();
    assert!(!shard.checkpoint("first", "1").await);
    assert!(shard.acquire("first").await);
    assert!(shard.checkpoint("first", "1").await);
    tokio::time::advance(LEASE).await;
    assert!(shard.acquire("second").await);
    assert!(!shard.checkpoint("first", "2").await);
    assert_eq!(shard.stored().await.as_deref(), Some("1"));
}

#[tokio::test(start_paused = true)]
async fn release_hands_a_shard_back_without_waiting_for_the_expiry_and_keeps_its_checkpoint() {
    let shard = Shard::new();
    assert!(shard.acquire("first").await);
    assert!(shard.checkpoint("first", "1").await);
    shard.release("second").await;
    assert!(!shard.acquire("second").await);
    shard.release("first").await;
    assert!(shard.acquire("second").await);
    assert_eq!(shard.stored().await.as_deref(), Some("1"));
}

#[tokio::test]
async fn read_returns_the_stored_state_and_the_default_one_where_there_is_none() {
    let shard = Shard::new();
    let none = shard.store.read(&shard.key).await;
    assert_eq!(none.expect("memory does not fail"), LeaseState::default());
    assert!(shard.acquire("first").await);
    assert!(shard.checkpoint("first", "1").await);
    assert_eq!(shard.stored().await.as_deref(), Some("1"));
}

#[tokio::test]
async fn shards_of_one_id_belong_to_their_streams() {
    let shard = Shard::new();
    assert!(shard.acquire("first").await);
    assert!(shard.checkpoint("first", "1").await);
    let elsewhere = Shard {
        key: LeaseKey::new("receipts", shard.key.shard()),
        store: shard.store,
    };
    assert_eq!(elsewhere.stored().await, None);
    assert!(elsewhere.acquire("second").await);
}

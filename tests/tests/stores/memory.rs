//! The default store.

use std::sync::Arc;
use std::time::Duration;

use ruststream_kinesis::{LeaseKey, LeaseStore, MemoryLeaseStore};
use tests::store_contract::{LEASE, Place};

struct Memory(Arc<MemoryLeaseStore>);

impl Place for Memory {
    fn store(&self) -> Arc<dyn LeaseStore> {
        Arc::clone(&self.0) as Arc<dyn LeaseStore>
    }

    async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
    }
}

fn memory() -> Memory {
    Memory(Arc::new(MemoryLeaseStore::new()))
}

mod contract {
    tests::store_contract!(tokio::test(start_paused = true), super::memory());
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
async fn a_lease_is_over_to_the_millisecond() {
    let store = memory().store();
    let key = LeaseKey::new("orders", "shardId-000000000000");
    let acquire = async |owner| {
        let answer = store.acquire(&key, owner, LEASE).await;
        answer.expect("memory does not fail")
    };
    assert!(acquire("first").await);
    let moment = Duration::from_millis(1);
    tokio::time::advance(LEASE.saturating_sub(moment)).await;
    assert!(!acquire("second").await);
    tokio::time::advance(moment).await;
    assert!(acquire("second").await);
}

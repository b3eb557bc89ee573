//! The store of several instances.

mod clocks;
mod creation;
mod delayed;
mod faults;
mod legacy;
mod rows;
mod schedules;
mod service;
mod surveys;
mod threads;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ruststream_kinesis::{DynamoLeaseStore, LeaseKey, LeaseStore};
use tests::dynamo::LeaseTable;
use tests::store_contract::Place;

/// Longer than any of these tests takes.
const LEASE: Duration = Duration::from_mins(10);
const SHARD: &str = "shardId-000000000000";
/// The row of that shard of `orders`.
const ROW: &str = "orders:shardId-000000000000";

fn key() -> LeaseKey {
    LeaseKey::new("orders", SHARD)
}

/// Fails the test where a store does not answer, or answers something else.
macro_rules! yes {
    ($call:expr) => {
        assert!($call.await.expect("the store answers"))
    };
}
use yes;

/// A table whose server's clock can be set.
struct Dynamo {
    table: LeaseTable,
    shift: AtomicI64,
    stores: Mutex<Vec<Arc<DynamoLeaseStore>>>,
}

impl Dynamo {
    async fn start() -> Self {
        Self {
            table: LeaseTable::start().await,
            shift: AtomicI64::new(0),
            stores: Mutex::default(),
        }
    }
}

impl Place for Dynamo {
    fn store(&self) -> Arc<dyn LeaseStore> {
        let store = Arc::new(self.table.store());
        let mut stores = self.stores.lock().expect("no test panics with it");
        stores.push(Arc::clone(&store));
        store
    }

    async fn pass(&self, time: Duration) {
        let seconds = i64::try_from(time.as_secs()).expect("a short time");
        let shift = self.shift.fetch_add(seconds, Ordering::Relaxed) + seconds;
        self.table.stack().shift_clock(shift);
        // Time that passes is seen by everybody; a clock that is set, by who asks it.
        let stores = self.stores.lock().expect("no test panics with it").clone();
        for store in stores {
            let key = LeaseKey::new("time", "passes");
            store.read(&key).await.expect("the store answers");
        }
    }
}

mod contract {
    tests::store_contract!(tokio::test, super::Dynamo::start().await);
}

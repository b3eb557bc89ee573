//! The store of several instances.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ruststream_kinesis::{DynamoLeaseStore, LeaseKey, LeaseStore};
use tests::dynamo::LeaseTable;
use tests::store_contract::Place;

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

//! Calls from runtimes other than the first.

use std::sync::Arc;

use ruststream_kinesis::LeaseStore;
use tests::dynamo::{LeaseTable, number_of, text_of};
use tests::live::{runtime, within};
use tokio::task::spawn_blocking;

use super::{LEASE, ROW, key, yes};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runtimes_that_come_and_go_write_through_one_store() {
    const RUNTIMES: u64 = 80;
    let table = LeaseTable::start().await;
    let store = Arc::new(table.store());
    yes!(store.acquire(&key(), "first", LEASE));
    let shared = Arc::clone(&store);
    let writes = spawn_blocking(move || {
        for sequence in 1..=RUNTIMES {
            let sequence = sequence.to_string();
            let stored = runtime().block_on(shared.checkpoint(&key(), "first", &sequence));
            assert!(stored.expect("the store answers"));
        }
    });
    within(writes).await.expect("no panic");
    // And the first runtime still does.
    yes!(store.renew(&key(), "first", LEASE));
    let item = table.item(ROW).await.expect("the row is there");
    assert_eq!(text_of(&item, "checkpoint"), Some("80"));
    assert_eq!(number_of(&item, "lease_counter"), Some(RUNTIMES + 2));
}

//! How long a shard that is handed back waits for its deliveries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::stand::{Stand, delivered, key};
use crate::clock;
use crate::error::KinesisError;
use crate::rules::cursor::Cursor;
use crate::service::live::{Live, drain, leave};
use crate::service::shard::Shard;
use crate::service::shard_reader::End;
use crate::service::stop::Stop;

/// The limits that ARCHITECTURE.md and the documentation name.
const DRAINED_WITHIN: Duration = Duration::from_secs(5);
const LEFT_WITHIN: Duration = Duration::from_secs(10);

/// What a paused clock is off by at most.
const TICK: Duration = Duration::from_millis(2);

fn live(shard: &Arc<Shard>) -> Live {
    Live {
        shard: Arc::clone(shard),
        origin: Cursor::Horizon,
        repositioned: false,
        leaving: false,
    }
}

async fn is_free(stand: &Stand) -> bool {
    let taken = stand.store.acquire(&key(), "another", LEFT_WITHIN).await;
    taken.expect("a store in memory")
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_stops_waits_five_seconds_for_its_deliveries() {
    let mut stand = Stand::new().await;
    let shards = BTreeMap::from([(Arc::clone(stand.shard.id()), live(&stand.shard))]);
    let held = delivered(&mut stand.page(&[b"a"]).await);
    stand.shard.stop();
    let began = clock::now();
    drain(&shards).await;
    let waited = clock::now() - began;
    assert!(waited >= DRAINED_WITHIN, "{waited:?}");
    assert!(waited <= DRAINED_WITHIN + TICK, "{waited:?}");

    drop(held);
    drain(&shards).await;
    assert_eq!(clock::now() - began, waited, "nothing is in flight");
}

#[tokio::test(start_paused = true)]
async fn a_shard_that_moves_waits_ten_seconds_for_its_deliveries() {
    let mut stand = Stand::new().await;
    let mut page = stand.page(&[b"a", b"b"]).await;
    let (settled, held) = (delivered(&mut page), delivered(&mut page));
    stand.shard.stop();
    let (_stop, stopped) = watch::channel(Stop::No);
    let began = clock::now();
    let leaving = tokio::spawn(leave(Arc::clone(&stand.shard), stopped));
    tokio::time::sleep(LEFT_WITHIN / 2).await;
    settled.settle(true).await.expect("the lease is held");
    let (_, end) = leaving.await.expect("no panic");
    let waited = clock::now() - began;
    assert_eq!(end, End::HandedOver);
    assert!(waited >= LEFT_WITHIN, "{waited:?}");
    assert!(waited <= LEFT_WITHIN + TICK, "{waited:?}");

    assert_eq!(stand.checkpoint().await.as_deref(), Some("10"));
    assert!(is_free(&stand).await);
    let late = held.settle(true).await;
    assert!(matches!(late, Err(KinesisError::Lease { .. })), "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn a_shard_that_moves_goes_once_its_deliveries_are_settled() {
    let mut stand = Stand::new().await;
    let delivery = delivered(&mut stand.page(&[b"a"]).await);
    stand.shard.stop();
    let (_stop, stopped) = watch::channel(Stop::No);
    let leaving = tokio::spawn(leave(Arc::clone(&stand.shard), stopped));
    tokio::task::yield_now().await;
    assert!(!is_free(&stand).await);
    let began = clock::now();
    delivery.settle(true).await.expect("the lease is held");
    let (_, end) = leaving.await.expect("no panic");
    assert_eq!((end, clock::now()), (End::HandedOver, began));
    assert!(is_free(&stand).await);
}

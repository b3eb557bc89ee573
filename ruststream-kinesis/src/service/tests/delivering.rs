//! From a page to its deliveries, and back to the budget and to who waits for them.

use std::sync::Arc;

use super::stand::{Stand, delivered};
use crate::error::KinesisError;
use crate::rules::aggregate::AGGREGATION_MAGIC;
use crate::rules::cursor::Cursor;
use crate::rules::packing::BLOCK;
use crate::service::progress::Opened;

/// Two such records share no block.
const LARGE: &[u8] = &[7; BLOCK];

#[tokio::test]
async fn undelivered_pages_do_not_hold_a_drain() {
    let mut stand = Stand::new().await;
    let page = stand.page(&[b"a", LARGE]).await;
    assert!(stand.is_drained());
    drop(page);
    assert!(stand.is_drained());
}

#[tokio::test]
async fn a_drain_waits_for_what_was_delivered_alone() {
    let mut stand = Stand::new().await;
    let mut page = stand.page(&[b"a", LARGE, LARGE]).await;
    let first = delivered(&mut page);
    let second = delivered(&mut page);
    assert!(!stand.is_drained());
    first.settle(false).await.expect("the lease is held");
    assert!(!stand.is_drained());
    drop(second);
    // The last block is still in the page.
    assert!(stand.is_drained());
}

#[tokio::test]
async fn who_waits_for_a_drain_is_woken_by_the_last_delivery() {
    let mut stand = Stand::new().await;
    let delivery = delivered(&mut stand.page(&[b"a"]).await);
    let shard = Arc::clone(&stand.shard);
    let drained = tokio::spawn(async move { shard.drained().await });
    tokio::task::yield_now().await;
    drop(delivery);
    drained.await.expect("no panic");
}

#[tokio::test]
async fn a_shard_that_stops_delivers_no_more_of_its_pages() {
    let mut stand = Stand::new().await;
    let mut page = stand.page(&[b"a", b"b", LARGE]).await;
    let first = delivered(&mut page);
    stand.shard.stop();
    assert!(page.next().is_none());
    drop(page);
    assert!(!stand.is_drained());
    // What was delivered before may still settle.
    first.settle(false).await.expect("the lease is held");
    assert_eq!(stand.checkpoint().await.as_deref(), Some("10"));
    assert!(stand.is_drained());
}

#[tokio::test]
async fn a_block_of_a_shard_that_stops_is_not_begun() {
    let mut stand = Stand::new().await;
    let mut page = stand.page(&[b"a"]).await;
    stand.shard.stop();
    assert!(page.next().is_none());
    assert!(!stand.shard.begin_block(stand.shard.generation()));
    assert!(stand.is_drained());
}

#[tokio::test]
async fn a_record_settled_after_a_reposition_moves_nothing() {
    let mut stand = Stand::new().await;
    let mut page = stand.page(&[b"a", b"b"]).await;
    let before = delivered(&mut page);
    stand.shard.reposition(Opened {
        cursor: Cursor::Horizon,
        iterator: "again".to_owned(),
        made_at: 0,
    });
    assert!(before.is_stale());
    assert!(page.next().is_none());
    before.settle(false).await.expect("it was sought past");
    assert_eq!(stand.checkpoint().await, None);
    drop(page);
    assert!(stand.is_drained());
}

#[tokio::test]
async fn an_unhandled_record_leaves_the_watermark_before_it() {
    let mut stand = Stand::new().await;
    let mut page = stand.page(&[b"a", b"b", b"c"]).await;
    let (first, second) = (delivered(&mut page), delivered(&mut page));
    let third = delivered(&mut page);
    third.settle(false).await.expect("the lease is held");
    second.leave().expect("the broker runs");
    first.settle(false).await.expect("the lease is held");
    assert_eq!(stand.checkpoint().await.as_deref(), Some("10"));
}

#[tokio::test]
async fn an_aggregated_record_of_a_block_is_passed_by_alone() {
    let mut stand = Stand::new().await;
    let mut page = stand.page(&[b"a", &AGGREGATION_MAGIC, b"b"]).await;
    let first = delivered(&mut page);
    let reported = page.next().expect("the page goes on");
    assert!(matches!(
        reported.map(drop),
        Err(KinesisError::AggregatedRecord { .. })
    ));
    let last = delivered(&mut page);
    assert_eq!((first.data(), last.data()), (&b"a"[..], &b"b"[..]));
    assert!(page.next().is_none());
    first.settle(false).await.expect("the lease is held");
    assert_eq!(stand.checkpoint().await.as_deref(), Some("11"));
    last.settle(false).await.expect("the lease is held");
    assert_eq!(stand.checkpoint().await.as_deref(), Some("12"));
}

#[tokio::test]
async fn a_page_gives_its_bytes_back_with_its_last_block() {
    let mut stand = Stand::new().await;
    let mut page = stand.page(&[b"a", LARGE]).await;
    let first = delivered(&mut page);
    assert!(!stand.is_free());
    drop(page);
    assert!(!stand.is_free());
    drop(first);
    assert!(stand.is_free());
}

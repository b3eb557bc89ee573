//! How trouble comes to who polls the subscription, beside its pages.

use std::future::poll_fn;
use std::task::Poll;

use futures::FutureExt;
use tokio::sync::watch;
use tokio::task::unconstrained;

use super::stand::Stand;
use crate::error::KinesisError;
use crate::service::page::Outlet;
use crate::service::seek::Seek;
use crate::service::stop::Stop;
use crate::service::stream::ReadLimit;
use crate::service::subscription::{Delivery, Subscription};

fn opened() -> (Outlet, Subscription) {
    let (outlet, pages, reports) = Outlet::new();
    let (seek, _) = Seek::new("orders".into());
    let stop = watch::Sender::new(Stop::No);
    let subscription = Subscription::new(pages, reports, ReadLimit::default(), seek, stop);
    (outlet, subscription)
}

fn trouble() -> KinesisError {
    KinesisError::stream("orders", "trouble")
}

type Polled = Poll<Option<Result<Delivery, KinesisError>>>;

async fn polled(subscription: &mut Subscription) -> Polled {
    // Otherwise the test's own budget is over before the reports are.
    unconstrained(poll_fn(|cx| Poll::Ready(subscription.poll_next(cx)))).await
}

fn data(polled: &Polled) -> &[u8] {
    match polled {
        Poll::Ready(Some(Ok(delivery))) => delivery.data(),
        _ => panic!("no record"),
    }
}

const fn is_report(polled: &Polled) -> bool {
    matches!(polled, Poll::Ready(Some(Err(_))))
}

#[tokio::test]
async fn a_report_goes_before_the_records_that_wait() {
    let mut stand = Stand::new().await;
    let (outlet, mut subscription) = opened();
    assert!(outlet.hand_over(stand.page(&[b"a", b"b"]).await).await);
    outlet.report(trouble());
    assert!(is_report(&polled(&mut subscription).await));
    assert_eq!(data(&polled(&mut subscription).await), b"a");
    outlet.report(trouble());
    assert!(is_report(&polled(&mut subscription).await));
    assert_eq!(data(&polled(&mut subscription).await), b"b");
    assert!(polled(&mut subscription).await.is_pending());
}

#[tokio::test]
async fn a_page_never_waits_for_a_report() {
    let mut stand = Stand::new().await;
    let (outlet, mut subscription) = opened();
    for _ in 0..1_000 {
        outlet.report(trouble());
    }
    let page = stand.page(&[b"a"]).await;
    let handed_over = outlet.hand_over(page).now_or_never();
    assert_eq!(handed_over, Some(true));
    let mut reports = 0;
    let mut item = polled(&mut subscription).await;
    while is_report(&item) {
        reports += 1;
        item = polled(&mut subscription).await;
    }
    assert_eq!(data(&item), b"a");
    assert!((1..1_000).contains(&reports), "{reports}");
}

#[tokio::test]
async fn the_stream_ends_with_its_last_report() {
    let mut stand = Stand::new().await;
    let (outlet, mut subscription) = opened();
    assert!(outlet.hand_over(stand.page(&[b"a"]).await).await);
    assert_eq!(data(&polled(&mut subscription).await), b"a");
    outlet.report(trouble());
    drop(outlet);
    assert!(is_report(&polled(&mut subscription).await));
    assert!(matches!(polled(&mut subscription).await, Poll::Ready(None)));
}

#[tokio::test]
async fn who_waits_for_a_record_is_woken_by_a_report() {
    let (outlet, mut subscription) = opened();
    let waiting = tokio::spawn(async move { poll_fn(|cx| subscription.poll_next(cx)).await });
    tokio::task::yield_now().await;
    outlet.report(trouble());
    let item = waiting.await.expect("no panic");
    assert!(matches!(item, Some(Err(_))));
}

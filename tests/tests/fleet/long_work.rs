//! Handlers that take longer than a lease lasts.

use tests::fleet::Event;

use crate::{LEASE, fleet, is};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_outlasts_the_lease_keeps_it_and_nothing_is_delivered_twice() {
    let mut fleet = fleet(1).await;
    let mut settings = fleet.settings("a");
    settings.work = LEASE * 2;
    let a = fleet.join(&settings).await;
    let b = fleet.join(&fleet.settings("b")).await;
    let mut load = fleet.load(1);
    load.publish(2).await;
    a.told(Event::is_handled, 2).await;
    let ledger = fleet.ledger();
    let taken = ledger.taken();
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert!(is(&taken[0].by, "a"));
    fleet.stop([a, b]).await;
    fleet.check(&load.published(), |_| false);
}

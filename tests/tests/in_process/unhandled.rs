//! "A record a handler leaves unhandled is read again, together with every record after it", and
//! the harness's counts are exact while it is.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use ruststream::runtime::PublishError;
use ruststream::testing::{Outcome, TestApp, TestError};
use ruststream::{AckError, IncomingMessage};
use ruststream_kinesis::prelude::*;
use tests::apps::{Order, info, orders, publish_orders};
use tokio::sync::Barrier;

use crate::support::{connect, drain, finishes, next, publish_all, subscribe};

/// A miscount shows in one run of many.
const RUNS: usize = 300;

/// Counts the calls, and holds the first three until all of them are in their handlers.
#[derive(Clone, FromRef)]
struct Calls {
    made: Arc<AtomicUsize>,
    first_three: Arc<Barrier>,
}

async fn calls((): ()) -> Result<Calls, Infallible> {
    Ok(Calls {
        made: Arc::default(),
        first_three: Arc::new(Barrier::new(3)),
    })
}

/// Leaves the order unhandled twice.
#[subscriber(KinesisStream::new("orders"))]
async fn third_time(order: &Order, State(made): State<Arc<AtomicUsize>>) -> HandlerOutcome {
    let _ = order.id;
    if made.fetch_add(1, Ordering::SeqCst) < 2 {
        HandlerOutcome::retry()
    } else {
        HandlerOutcome::ack()
    }
}

/// Leaves order 1 unhandled once orders 2 and 3 are delivered as well.
#[subscriber(KinesisStream::new("orders"))]
async fn overtaken(
    order: &Order,
    State(made): State<Arc<AtomicUsize>>,
    State(first_three): State<Arc<Barrier>>,
) -> HandlerOutcome {
    let first = made.fetch_add(1, Ordering::SeqCst) < 3;
    if first {
        first_three.wait().await;
    }
    if first && order.id == 1 {
        HandlerOutcome::retry()
    } else {
        HandlerOutcome::ack()
    }
}

#[subscriber(KinesisStream::new("orders"))]
async fn never(order: &Order) -> HandlerOutcome {
    let _ = order.id;
    HandlerOutcome::retry()
}

#[subscriber(KinesisStream::new("orders"))]
async fn panics(order: &Order) -> HandlerOutcome {
    panic!("order {} is one too many", order.id);
}

/// Runs the handler that leaves one order unhandled twice, alone or in a pool.
async fn read_again(pool: bool) {
    let app = RustStream::new(info())
        .on_startup(calls)
        .with_broker(KinesisBroker::new(), |b| {
            if pool {
                b.include(third_time.workers(nonzero!(4)));
            } else {
                b.include(third_time);
            }
        });
    let tb = TestApp::start(app).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[7]).await;
    assert_eq!(
        broker.subscriber("orders").outcomes(),
        [Outcome::Nack, Outcome::Nack, Outcome::Ack]
    );
    publish_orders(&broker, &[8]).await;
    assert_eq!(
        broker.subscriber("orders").received::<Order>(),
        orders(&[7, 7, 7, 8])
    );
    broker.published::<Order>("orders").assert_called(2);
    tb.shutdown().await.expect("the app stops");
}

/// Runs the handler that leaves the first of three delivered orders unhandled.
async fn read_again_with_every_record_after_it() {
    let app = RustStream::new(info())
        .on_startup(calls)
        .with_broker(KinesisBroker::new(), |b| {
            b.include(overtaken.workers(nonzero!(3)));
        });
    let tb = TestApp::start(app).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let together = orders(&[1, 2, 3]);
    for published in join_all(together.iter().map(|order| broker.message(order).publish())).await {
        published.expect("the reaction settles");
    }
    let mut received = broker.subscriber("orders").received::<Order>();
    received.sort_by_key(|order| order.id);
    assert_eq!(received, orders(&[1, 1, 2, 2, 3, 3]));
    broker.published::<Order>("orders").assert_called(3);
    tb.shutdown().await.expect("the app stops");
}

/// Runs the handler that never settles for good.
async fn read_again_for_ever() {
    let app = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
        b.include(never);
    });
    let tb = TestApp::start(app).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let unsettled = broker.message(&Order { id: 7 }).publish().await;
    assert!(
        matches!(
            unsettled,
            Err(PublishError::Publish(TestError::NotQuiescent { .. }))
        ),
        "{unsettled:?}"
    );
    tb.shutdown().await.expect("the app stops");
}

mod on_one_thread {
    use super::RUNS;
    use crate::support::finishes;

    #[tokio::test(start_paused = true)]
    async fn an_unhandled_record_is_read_again_at_once() {
        for run in 0..RUNS {
            finishes(super::read_again(run % 2 == 0)).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_unhandled_record_is_read_again_together_with_every_record_after_it() {
        for _ in 0..RUNS {
            finishes(super::read_again_with_every_record_after_it()).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_record_that_is_never_handled_does_not_keep_the_harness_from_its_thread() {
        finishes(super::read_again_for_ever()).await;
    }
}

mod on_several_threads {
    use super::RUNS;
    use crate::support::finishes;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_unhandled_record_is_read_again_at_once() {
        for run in 0..RUNS {
            finishes(super::read_again(run % 2 == 0)).await;
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_unhandled_record_is_read_again_together_with_every_record_after_it() {
        for _ in 0..RUNS {
            finishes(super::read_again_with_every_record_after_it()).await;
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_record_that_is_never_handled_does_not_keep_the_harness_from_its_thread() {
        finishes(super::read_again_for_ever()).await;
    }
}

#[tokio::test]
async fn a_requeue_is_unsupported_and_the_record_stays_unhandled() {
    let connected = connect().await;
    let mut subscriber = subscribe(&connected, "orders").await;
    publish_all(&connected.publisher(), "orders", &["a", "b"]).await;
    let left = next(&mut subscriber).expect("a").nack(true).await;
    assert!(matches!(left, Err(AckError::Unsupported)), "{left:?}");
    // Without a harness nobody counts what a replay adds, and nothing comes back.
    assert_eq!(drain(&mut subscriber).await, ["b"]);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_ends_releases_what_it_has_not_read() {
    let app = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
        b.include(panics);
    });
    let tb = TestApp::start(app).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let together = orders(&[1, 2, 3]);
    let published = join_all(together.iter().map(|order| broker.message(order).publish()));
    // Nothing waits for a subscription that is gone.
    finishes(async {
        for settled in published.await {
            settled.expect("the reaction settles");
        }
    })
    .await;
    broker.subscriber("orders").assert_called_once().panicked();
    tb.assert_shut_down();
}

//! "Batches".

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::join_all;
use ruststream_kinesis::prelude::*;

use super::{Order, info, orders, publish_orders};
use crate::stand::Stand;

#[subscriber(KinesisStream::new("orders"))]
async fn digest(batch: &[Order]) -> HandlerOutcome {
    for order in batch {
        let _ = order.id;
    }
    HandlerOutcome::ack()
}

/// Leaves order 2 unhandled, once.
#[subscriber(KinesisStream::new("orders"))]
async fn settle_each(
    batch: &[Order],
    ctx: &mut Context<'_, (), Arc<AtomicBool>>,
) -> Vec<HandlerOutcome> {
    let left = ctx.state();
    batch
        .iter()
        .map(|order| {
            if order.id == 2 && !left.swap(true, Ordering::SeqCst) {
                HandlerOutcome::retry()
            } else {
                HandlerOutcome::ack()
            }
        })
        .collect()
}

/// "A batch carries fewer records when that is all the shards had".
pub async fn a_batch_carries_fewer_records_when_that_is_all_the_shards_had(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        // The framework's word first, this crate's read settings after it.
        b.include(
            digest
                .batch(nonzero!(500))
                .poll_interval(Duration::from_millis(500)),
        );
    });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[1, 2]).await;
    broker
        .subscriber("orders")
        .assert_batch_sizes(&[1, 1])
        .settled(HandlerOutcome::ack());
    tb.shutdown().await.expect("the app stops");
}

/// "no batch carries more records than it named"; for a stand on one thread, where the records are
/// all there before the first is read.
pub async fn no_batch_carries_more_records_than_it_named(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(digest.batch(nonzero!(2)));
    });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let together = orders(&[1, 2, 3]);
    for published in join_all(together.iter().map(|order| broker.message(order).publish())).await {
        published.expect("the reaction settles");
    }
    broker
        .subscriber("orders")
        .assert_batch_sizes(&[2, 1])
        .settled(HandlerOutcome::ack());
    tb.shutdown().await.expect("the app stops");
}

/// "a body that returns one outcome per element checkpoints per record": the one left unhandled
/// comes back with every record after it; for a stand on one thread.
pub async fn each_record_of_a_batch_settles_on_its_own(stand: impl Stand) {
    let app = RustStream::new(info())
        .on_startup(async |()| Ok::<_, Infallible>(Arc::new(AtomicBool::new(false))))
        .with_broker(stand.service(), |b| {
            b.include(settle_each.batch(nonzero!(3)));
        });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let together = orders(&[1, 2, 3]);
    for published in join_all(together.iter().map(|order| broker.message(order).publish())).await {
        published.expect("the reaction settles");
    }
    assert_eq!(
        broker.subscriber("orders").batches::<Order>(),
        [orders(&[1, 2, 3]), orders(&[2, 3])]
    );
    tb.shutdown().await.expect("the app stops");
}

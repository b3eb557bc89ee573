//! "The delivery context".

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{PARTITION_KEY_HEADER, SEQUENCE_HEADER, SHARD_HEADER};

use super::{Order, info, orders, publish_orders};
use crate::stand::Stand;

/// What the handlers note of their deliveries.
type Notes = Arc<Mutex<Vec<KinesisPosition>>>;

async fn notes((): ()) -> Result<Notes, Infallible> {
    Ok(Notes::default())
}

/// Names the context for both keys, and goes back to the first order once it has seen the third.
#[subscriber(KinesisStream::new("orders"))]
async fn both_keys(order: &Order, ctx: &mut Context<'_, KinesisContext, Notes>) -> HandlerOutcome {
    let position = ctx.context(Position).clone();
    let first = {
        let mut seen = ctx.state().lock().expect("no handler panicked");
        seen.push(position);
        (seen.len() == 3 && order.id == 3).then(|| seen[0].clone())
    };
    if let Some(first) = first
        && ctx.context(SeekHandle).seek(first).await.is_err()
    {
        return HandlerOutcome::drop();
    }
    HandlerOutcome::ack()
}

/// Binds one key, and checks it against the headers every delivery carries.
#[subscriber(KinesisStream::new("orders"))]
async fn one_key(
    order: &Order,
    ctx: &mut Context<'_, KinesisContext>,
    Ctx(position): Ctx<Position>,
) -> HandlerOutcome {
    let _ = order.id;
    let header = |name| ctx.headers().get_str(name).map(str::to_owned);
    let named = match position {
        KinesisPosition::Sequence { shard, sequence } => {
            header(SHARD_HEADER) == Some(shard) && header(SEQUENCE_HEADER) == Some(sequence)
        }
        _ => false,
    };
    if named && header(PARTITION_KEY_HEADER).is_some() {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::drop()
    }
}

/// A batch carries the seeker and no position.
#[subscriber(KinesisStream::new("orders"))]
async fn in_batches(
    batch: &[Order],
    ctx: &mut Context<'_, KinesisBatchContext, Notes>,
) -> HandlerOutcome {
    let again = {
        let mut seen = ctx.state().lock().expect("no handler panicked");
        seen.push(KinesisPosition::horizon());
        seen.len() == 2
    };
    let _ = batch.len();
    let to = KinesisPosition::horizon();
    if again && ctx.context(SeekHandle).seek(to).await.is_err() {
        return HandlerOutcome::drop();
    }
    HandlerOutcome::ack()
}

/// "a handler that wants both names `KinesisContext` as its context type and reads the keys with
/// `ctx.context(..)`", and seeking to a record's position delivers it again with what follows.
pub async fn a_handler_that_wants_both_keys_names_the_context(stand: impl Stand) {
    let app = RustStream::new(info())
        .on_startup(notes)
        .with_broker(stand.service(), |b| {
            b.include(both_keys);
        });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[1, 2, 3]).await;
    broker.subscriber("orders").settled(HandlerOutcome::ack());
    assert_eq!(
        broker.subscriber("orders").received::<Order>(),
        orders(&[1, 2, 3, 1, 2, 3])
    );
    tb.shutdown().await.expect("the app stops");
}

/// "Every delivery carries three headers", and its position names the record they name.
pub async fn every_delivery_carries_three_headers(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(one_key);
    });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[1]).await;
    broker
        .subscriber("orders")
        .assert_called_once()
        .settled(HandlerOutcome::ack());
    tb.shutdown().await.expect("the app stops");
}

/// "A batch handler gets `KinesisBatchContext`. It carries the same `SeekHandle`, because a seek
/// moves the whole subscription".
pub async fn a_batch_handler_seeks_through_its_context(stand: impl Stand) {
    let app = RustStream::new(info())
        .on_startup(notes)
        .with_broker(stand.service(), |b| {
            b.include(in_batches.batch(nonzero!(1)));
        });
    let tb = stand.start(app, &["orders"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    publish_orders(&broker, &[1, 2]).await;
    assert_eq!(
        broker.subscriber("orders").received::<Order>(),
        orders(&[1, 2, 1, 2])
    );
    tb.shutdown().await.expect("the app stops");
}

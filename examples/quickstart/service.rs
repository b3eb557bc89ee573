//! The service: every order is answered with a receipt.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_config::SdkConfig;
use ruststream::runtime::Outgoing;
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{KinesisMonitor, KinesisPublisher};
use serde::{Deserialize, Serialize};
use tokio::time::{sleep, timeout};

use crate::Failure;
use crate::signals::Signals;
use crate::streams::StreamNames;

const ORDERS: usize = 12;
/// A customer's orders share a shard and keep their order; these customers are spread over four.
const CUSTOMERS: [&str; 8] = ["ada", "cleo", "hana", "nia", "gus", "zoe", "ida", "max"];
/// What there is to do about one order.
const WORK: Duration = Duration::from_millis(60);
/// The service allows five reads a second and shard.
const POLL_EVERY: Duration = Duration::from_millis(200);
const LOOK_EVERY: Duration = Duration::from_millis(150);
const DONE_WITHIN: Duration = Duration::from_mins(1);

#[derive(Serialize, Deserialize, Outgoing)]
struct Order {
    id: usize,
    customer: String,
}

#[derive(Serialize, Deserialize, Outgoing)]
struct Receipt {
    order: usize,
}

/// The orders whose receipts were seen; a set, since a record may come twice.
#[derive(Clone, Default)]
struct Filed(Arc<Mutex<BTreeSet<usize>>>);

impl Filed {
    fn insert(&self, order: usize) {
        let mut filed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        filed.insert(order);
    }

    fn is_complete(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len() == ORDERS
    }
}

#[derive(FromRef)]
struct AppState {
    filed: Filed,
}

/// The receipt leaves before the order counts as handled, so no order is lost on the way.
#[subscriber(KinesisStream, reply("receipts"))]
async fn confirm(order: &Order, Ctx(position): Ctx<Position>) -> Receipt {
    sleep(WORK).await;
    println!("order   {:>2}  handled, {}", order.id, place(&position));
    Receipt { order: order.id }
}

/// Reads the receipts back.
#[subscriber(KinesisStream)]
async fn file(
    receipt: &Receipt,
    Ctx(position): Ctx<Position>,
    State(filed): State<Filed>,
) -> HandlerOutcome {
    println!(
        "receipt {:>2}  written, {}",
        receipt.order,
        place(&position)
    );
    filed.insert(receipt.order);
    HandlerOutcome::ack()
}

/// Sends a reply to the stream of this run; a service whose streams have lasting names needs none
/// of this.
struct To(Str);

impl<K: ContextKind, Options> PublishTransform<K, Options> for To {
    type Destination = Names;

    fn apply(&self, reply: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
        reply.set_name(self.0.clone());
    }
}

fn place(position: &KinesisPosition) -> String {
    match position {
        KinesisPosition::Sequence { shard, sequence } => {
            let number = shard.trim_start_matches("shardId-").trim_start_matches('0');
            let number = if number.is_empty() { "0" } else { number };
            format!("shard {number}, sequence {sequence}")
        }
        stream_wide => format!("{stream_wide:?}"),
    }
}

fn app(broker: KinesisBroker, names: &StreamNames, filed: Filed) -> impl App {
    RustStream::new(AppInfo::new("quickstart", "0.7.0"))
        .on_startup(async move |()| Ok::<_, Infallible>(AppState { filed }))
        .with_broker(broker, |b| {
            b.include(confirm.name(names.orders.clone()).poll_interval(POLL_EVERY))
                .out_reply(Publish::default())
                .transform(To(names.receipts.as_str().into()));
            b.include(file.name(names.receipts.clone()).poll_interval(POLL_EVERY));
        })
}

/// Runs the service until every receipt is there and nothing lags.
///
/// # Errors
///
/// Where a signal or the service's own end is first, or where it takes too long.
pub(crate) async fn run(
    config: SdkConfig,
    names: &StreamNames,
    signals: &mut Signals,
) -> Result<(), Failure> {
    let broker = KinesisBroker::from_config(config);
    let monitor = broker.monitor();
    let publisher = broker.publisher();
    let filed = Filed::default();

    let running = signals
        .or(app(broker, names, filed.clone()).start())
        .await?;
    let done = async {
        // The subscriptions are open, so they read what is published from here on. Boxed, since a
        // call of the SDK is a future almost as deep as the compiler allows.
        Box::pin(publish(&publisher, &names.orders)).await?;
        timeout(DONE_WITHIN, follow(&monitor, &filed))
            .await
            .map_err(|_| format!("not every receipt was written within {DONE_WITHIN:?}"))?;
        Ok::<(), Failure>(())
    };
    let stopping = running.stopping();
    let done = signals
        .or(async {
            tokio::select! {
                done = done => done,
                // The shutdown tells why.
                () = stopping => Ok(()),
            }
        })
        .await;
    let stopped = running.shutdown().await;
    done?;
    stopped?;
    println!("\nstopped     everything settled, every shard released");
    Ok(())
}

async fn publish(publisher: &KinesisPublisher, stream: &str) -> Result<(), Failure> {
    for (id, customer) in (1..=ORDERS).zip(CUSTOMERS.into_iter().cycle()) {
        let order = Order {
            id,
            customer: customer.to_owned(),
        };
        publisher
            .message(&order)
            .to(stream)
            .partition_key(customer)
            .publish()
            .await?;
    }
    println!(
        "published   {ORDERS} orders of {} customers\n",
        CUSTOMERS.len()
    );
    Ok(())
}

/// Shows the lag until there is none, and every receipt was seen.
async fn follow(monitor: &KinesisMonitor, filed: &Filed) {
    let mut shown = None;
    loop {
        sleep(LOOK_EVERY).await;
        let complete = filed.is_complete();
        let Some(lag) = lag(monitor) else { continue };
        let caught_up = lag == (0, Duration::ZERO);
        // Until the receipts are there, no lag only means that the last read is older than the
        // orders.
        if caught_up && !complete || shown == Some(lag) {
            continue;
        }
        let (unsettled, behind) = lag;
        println!(
            "lag         {unsettled:>2} unsettled, {} ms behind",
            behind.as_millis()
        );
        if caught_up {
            return;
        }
        shown = Some(lag);
    }
}

/// The records that are fetched and not settled, and how far the slowest shard is behind; nothing
/// until every shard was read.
fn lag(monitor: &KinesisMonitor) -> Option<(u64, Duration)> {
    let shards = monitor
        .streams()
        .into_iter()
        .flat_map(|stream| stream.shards);
    shards
        .into_iter()
        .try_fold((0, Duration::ZERO), |(unsettled, behind), shard| {
            Some((unsettled + shard.unsettled, behind.max(shard.behind?)))
        })
}

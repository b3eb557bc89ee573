//! The service: tells what it handles.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::config::Credentials;
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{DynamoLeaseStore, KinesisSeeker, LeaseTimings};
use tests::fleet::{Concurrency, Event, Numbered, Record, Settings, clock};
use tokio::sync::watch;

use crate::Failure;
use crate::commands::{obey, position};
use crate::tell::tell;

/// How long the handler takes.
#[derive(Clone, Copy)]
struct Work(Duration);

/// The subscription's seeker, once a delivery brought it.
#[derive(Clone)]
struct Seen(Arc<watch::Sender<Option<KinesisSeeker>>>);

#[derive(FromRef)]
struct AppState {
    work: Work,
    seen: Seen,
}

#[subscriber(KinesisStream)]
async fn handle(
    record: &Numbered,
    Ctx(position): Ctx<Position>,
    Ctx(seeker): Ctx<SeekHandle>,
    State(work): State<Work>,
    State(seen): State<Seen>,
) -> HandlerOutcome {
    seen.0.send_if_modified(|seen| {
        let first = seen.is_none();
        seen.get_or_insert_with(|| seeker.clone());
        first
    });
    let at_place = || Record {
        shard: position.shard().unwrap_or_default().to_owned(),
        sequence: position.sequence_number().unwrap_or_default().to_owned(),
        key: record.key.clone(),
        number: record.number,
        at: clock(),
    };
    tell(&Event::Began(at_place()));
    if !work.0.is_zero() {
        tokio::time::sleep(work.0).await;
    }
    tell(&Event::Handled(at_place()));
    HandlerOutcome::ack()
}

/// Runs until the process is asked to stop.
///
/// # Errors
///
/// Where the service does not start, or does not stop in order.
pub(crate) async fn run(settings: &Settings) -> Result<(), Failure> {
    let leases = DynamoLeaseStore::new(&config(&settings.dynamo).await, &settings.table)
        .create_table_if_missing();
    let timings = LeaseTimings::builder()
        .lease_ttl(settings.lease_ttl)
        .renew_every(settings.renew_every)
        .build();
    let mut broker = KinesisBroker::from_config(config(&settings.kinesis).await)
        .owner_id(&settings.owner_id)
        .lease_timings(timings)
        .lease_store(Arc::new(leases));
    if let Some(most) = settings.max_leases {
        broker = broker.max_leases(most);
    }
    let seen = Seen(Arc::default());
    obey(seen.0.subscribe());
    let state = AppState {
        work: Work(settings.work),
        seen,
    };

    let app = RustStream::new(AppInfo::new("instance", "0.7.0"))
        .on_startup(async move |()| Ok::<_, Infallible>(state))
        .after_startup(async |_| {
            tell(&Event::Ready);
            Ok::<_, Infallible>(())
        })
        .with_broker(broker, |b| {
            let mut source =
                KinesisStream::new(&settings.stream).poll_interval(settings.poll_interval);
            if let Some(interval) = settings.checkpoint_interval {
                source = source.checkpoint_interval(interval);
            }
            let mounted = handle
                .name(settings.stream.clone())
                .map_source(move |_| source);
            let one = NonZeroUsize::MIN;
            let mounted = match settings.workers {
                Concurrency::Sequential => mounted.workers(one),
                Concurrency::ByKey(n) => {
                    mounted.workers_by_key(NonZeroUsize::new(n).unwrap_or(one))
                }
                Concurrency::Pool(n) => mounted.workers(NonZeroUsize::new(n).unwrap_or(one)),
            };
            match settings.start_at {
                Some(start) => {
                    b.include(mounted.start_at(position(start)));
                }
                None => {
                    b.include(mounted);
                }
            }
        });
    Ok(app.run().await?)
}

async fn config(endpoint: &str) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("key", "secret", None, None, "instance"))
        .load()
        .await
}

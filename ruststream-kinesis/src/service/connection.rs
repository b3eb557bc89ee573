//! A connected broker's side of the service: its subscriptions, its publishes, its end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_config::SdkConfig;
use futures::future::join_all;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::calls::{self, Address};
use super::clients::Clients;
use super::coordinator::Coordinator;
use super::seek::Seek;
use super::stop::{Stop, stop_at_least};
use super::stream::{ReadLimit, Stream};
use super::subscription::Subscription;
use super::view::{Shown, View};
use super::{budget, create_stream, page};
use crate::error::KinesisError;
use crate::lease::{LeaseStore, LeaseTimings};
use crate::monitor::StreamSnapshot;
use crate::rules::stream_ref::{self, StreamRef};
use crate::stream::KinesisStream;

/// Bytes of a record with its key. Source: quotas page, the most a stream can be set to.
const LARGEST_RECORD: usize = 10 * 1024 * 1024;
/// How long a shutdown waits for its subscriptions to hand their shards back.
const SHUTDOWN_WITHIN: Duration = Duration::from_secs(8);
/// How long a stream that is opened again waits for its dropped subscription.
const HAND_OVER_WITHIN: Duration = Duration::from_secs(8);

/// What a connection is made of.
pub(crate) struct Setup {
    pub(crate) config: SdkConfig,
    /// Dialled instead of what the config and the environment say.
    pub(crate) endpoint: Option<String>,
    /// Where calls go, as an error may show it.
    pub(crate) address: String,
    pub(crate) runtime: Handle,
    pub(crate) leases: Arc<dyn LeaseStore>,
    pub(crate) timings: LeaseTimings,
    pub(crate) max_leases: usize,
    pub(crate) owner: String,
}

/// A connected broker's state.
pub(crate) struct Connection {
    clients: Arc<Clients>,
    runtime: Handle,
    leases: Arc<dyn LeaseStore>,
    timings: LeaseTimings,
    max_leases: usize,
    owner: Arc<str>,
    /// Where calls go, for their errors.
    endpoint: Arc<str>,
    closed: AtomicBool,
    /// The subscriptions by their streams' ARNs.
    open: Mutex<HashMap<String, Slot>>,
}

/// The place of one subscription among those of its broker.
struct Slot {
    stop: watch::Sender<Stop>,
    /// Closes when the subscription's shards are handed back.
    running: watch::Receiver<()>,
    view: View,
}

impl Connection {
    pub(crate) fn new(setup: Setup) -> Arc<Self> {
        Arc::new(Self {
            clients: Arc::new(Clients::new(&setup.config, setup.endpoint, &setup.runtime)),
            runtime: setup.runtime,
            leases: setup.leases,
            timings: setup.timings,
            max_leases: setup.max_leases,
            owner: setup.owner.into(),
            endpoint: setup.address.into(),
            closed: AtomicBool::new(false),
            open: Mutex::default(),
        })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    fn open_streams(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a subscription. The work is done on the broker's runtime, since the caller's may be
    /// gone right afterwards.
    pub(crate) async fn open(
        self: &Arc<Self>,
        stream: &KinesisStream,
    ) -> Result<Subscription, KinesisError> {
        let connection = Arc::clone(self);
        let stream = stream.clone();
        // Held here before it is open, so that a caller who gives up stops it and frees the name.
        let (hand_over, handed) = oneshot::channel();
        let opening = self
            .runtime
            .spawn(async move { connection.open_here(&stream, hand_over).await });
        let subscription = handed.await.ok();
        opening.await.map_err(|_| KinesisError::NotConnected)??;
        subscription.ok_or(KinesisError::NotConnected)
    }

    async fn open_here(
        self: Arc<Self>,
        stream: &KinesisStream,
        hand_over: oneshot::Sender<Subscription>,
    ) -> Result<(), KinesisError> {
        let named = stream_ref::parse(stream.stream())
            .map_err(|reason| KinesisError::Invalid(reason.to_owned()))?;
        let address = Address::new(named, &self.endpoint);
        let summary = create_stream::ensure(self.clients.home(), stream, named, &address).await?;

        let name: Arc<str> = stream.stream().into();
        let (place, slot) = self.reserve(&name, &summary.arn).await?;
        let (outlet, pages, reports) = page::Outlet::new();
        let limit = ReadLimit::default();
        let shared = Arc::new(Stream {
            name: Arc::clone(&name),
            other_spelling: match named.arn() {
                Some(_) => named.name().to_owned(),
                None => summary.arn,
            },
            address,
            clients: Arc::clone(&self.clients),
            poll_interval: stream.poll_interval,
            checkpoint_interval: stream.checkpoint_interval,
            leases: Arc::clone(&self.leases),
            owner: Arc::clone(&self.owner),
            timings: self.timings,
            budget: budget::Budget::new(stream.memory_budget),
            outlet,
            limit: limit.subscribe(),
            max_leases: self.max_leases,
            created: summary.created,
            opened_at: summary.answered_at,
            counts: Arc::default(),
        });
        let (seek, commands) = Seek::new(name);
        let mut coordinator = Coordinator::new(
            shared,
            seek.clone(),
            commands,
            slot.stop.subscribe(),
            slot.view,
        );
        // From here on dropping the subscription stops the coordinator and frees the name; one
        // that nobody takes is dropped at once.
        let subscription = Subscription::new(pages, reports, limit, seek, slot.stop);
        drop(hand_over.send(subscription));
        let opened = coordinator.open().await;
        tokio::spawn(async move {
            coordinator.run().await;
            drop(place);
        });
        opened
    }

    /// Takes the stream's place among the open ones.
    async fn reserve(
        self: &Arc<Self>,
        name: &Arc<str>,
        arn: &str,
    ) -> Result<(Place, Reserved), KinesisError> {
        let deadline = tokio::time::sleep(HAND_OVER_WITHIN);
        tokio::pin!(deadline);
        loop {
            let mut leaving = {
                let mut open = self.open_streams();
                if self.is_closed() {
                    return Err(KinesisError::NotConnected);
                }
                match open.get(arn) {
                    Some(slot) if *slot.stop.borrow() == Stop::No => {
                        return Err(KinesisError::AlreadySubscribed {
                            stream: name.to_string(),
                        });
                    }
                    // A dropped one hands its shards back first.
                    Some(slot) => {
                        stop_at_least(&slot.stop, Stop::Now);
                        slot.running.clone()
                    }
                    None => {
                        let (running, watched) = watch::channel(());
                        let stop = watch::Sender::new(Stop::No);
                        let view = View::default();
                        open.insert(
                            arn.to_owned(),
                            Slot {
                                stop: stop.clone(),
                                running: watched,
                                view: Arc::clone(&view),
                            },
                        );
                        let place = Place {
                            connection: Arc::clone(self),
                            arn: arn.to_owned(),
                            _running: running,
                        };
                        return Ok((place, Reserved { stop, view }));
                    }
                }
            };
            tokio::select! {
                // An error is what a closed channel answers; the name is free by then.
                _ = leaving.changed() => {}
                () = &mut deadline => {
                    return Err(KinesisError::AlreadySubscribed { stream: name.to_string() });
                }
            }
        }
    }

    pub(crate) async fn put(
        &self,
        stream: StreamRef<'_>,
        partition_key: String,
        data: Vec<u8>,
    ) -> Result<(), KinesisError> {
        let size = data.len() + partition_key.len();
        if size > LARGEST_RECORD {
            return Err(KinesisError::publish(
                stream.text(),
                format!(
                    "a record and its key are at most {LARGEST_RECORD} bytes, these are {size}"
                ),
            ));
        }
        let address = Address::new(stream, &self.endpoint);
        calls::put_record(&self.clients.current(), &address, partition_key, data)
            .await
            .map_err(|failure| KinesisError::publish(stream.text(), failure))
    }

    /// Stops every subscription and waits until their shards are handed back.
    pub(crate) async fn shutdown(&self) {
        self.closed.store(true, Ordering::Release);
        let leaving: Vec<_> = self
            .open_streams()
            .values()
            .map(|slot| {
                stop_at_least(&slot.stop, Stop::Shutdown);
                slot.running.clone()
            })
            .collect();
        let left = join_all(leaving.into_iter().map(|mut running| async move {
            // An error is what a closed channel answers.
            while running.changed().await.is_ok() {}
        }));
        if timeout(SHUTDOWN_WITHIN, left).await.is_err() {
            tracing::warn!(
                target: "ruststream::kinesis",
                "some subscriptions did not stop in time; their leases have to expire",
            );
        }
    }

    pub(crate) fn snapshot(&self) -> Vec<StreamSnapshot> {
        let mut streams: Vec<_> = self
            .open_streams()
            .values()
            .filter_map(|slot| {
                let view = slot.view.lock().unwrap_or_else(PoisonError::into_inner);
                view.as_ref().map(Shown::snapshot)
            })
            .collect();
        streams.sort_by(|a, b| a.stream.cmp(&b.stream));
        streams
    }
}

/// One stream's place among the open ones: held while the subscription's tasks run, and free again
/// however they end.
struct Place {
    connection: Arc<Connection>,
    arn: String,
    // Closes after the name is free: fields are dropped after the body of `drop`.
    _running: watch::Sender<()>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connection.open_streams().remove(&self.arn);
    }
}

/// What a new subscription gets of its slot.
struct Reserved {
    stop: watch::Sender<Stop>,
    view: View,
}

//! The Kinesis server.

mod backend;
mod listing;
mod page;
mod position;
mod size;
mod streams;
mod subject;

use std::sync::mpsc;
use std::time::Duration;

use ferrokinesis::store::{Store, StoreOptions};

use crate::layer::{ClockShift, Layer, Shared};
use crate::server::Server;
use crate::{Calls, Faults};

/// A Kinesis server on loopback. Dropping it stops the server and frees the port.
pub struct KinesisStack {
    server: Server,
    shared: Shared,
    store: Store,
}

impl KinesisStack {
    /// Starts a server with the defaults of [`KinesisBuilder`].
    ///
    /// # Panics
    ///
    /// When the process can open no further socket or thread.
    #[must_use]
    pub fn start() -> Self {
        Self::builder().start()
    }

    /// A server with other settings.
    #[must_use]
    pub fn builder() -> KinesisBuilder {
        KinesisBuilder::default()
    }

    /// The address for the SDK's `endpoint_url`: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        self.server.endpoint()
    }

    /// The script of faults.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.shared.faults
    }

    /// The log of calls.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        &self.shared.calls
    }

    /// Removes every record the stream holds now, as if its retention had passed: the next horizon is the next record
    /// written. Nothing happens when the stream does not exist.
    pub async fn trim(&self, stream: &str) {
        let keys: Vec<String> = self
            .store
            .get_record_store(stream)
            .await
            .into_keys()
            .collect();
        self.store.delete_record_keys(stream, &keys).await;
    }
}

impl std::fmt::Debug for KinesisStack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KinesisStack")
            .field("server", &self.server)
            .field("shared", &self.shared)
            .finish_non_exhaustive()
    }
}

/// The settings of a server. Unless set otherwise, a stream is created, changed and deleted by the time the call is
/// answered, keeps its records for 24 hours and may have as many shards as wished; iterators and subscriptions live for
/// five minutes; account `000000000000` in `us-east-1`.
#[derive(Clone, Debug)]
pub struct KinesisBuilder {
    iterator_lifetime: Duration,
    subscription_lifetime: Duration,
    retention_hours: Option<u32>,
    create_delay: Duration,
    update_delay: Duration,
    delete_delay: Duration,
    shard_limit: u32,
    last_records_end_shard: bool,
    streams_on_use: Option<u32>,
    clock_shift: ClockShift,
}

/// An iterator expires five minutes after it was given (`GetShardIterator` API reference).
const ITERATOR_LIFETIME: Duration = Duration::from_mins(5);
/// A subscription ends after five minutes (`SubscribeToShard` API reference).
const SUBSCRIPTION_LIFETIME: Duration = Duration::from_mins(5);

impl Default for KinesisBuilder {
    fn default() -> Self {
        Self {
            iterator_lifetime: ITERATOR_LIFETIME,
            subscription_lifetime: SUBSCRIPTION_LIFETIME,
            retention_hours: None,
            create_delay: Duration::ZERO,
            update_delay: Duration::ZERO,
            delete_delay: Duration::ZERO,
            shard_limit: u32::MAX,
            last_records_end_shard: false,
            streams_on_use: None,
            clock_shift: ClockShift::default(),
        }
    }
}

impl KinesisBuilder {
    /// How long an iterator may be used.
    #[must_use]
    pub fn iterator_lifetime(self, lifetime: Duration) -> Self {
        Self {
            iterator_lifetime: lifetime,
            ..self
        }
    }

    /// How long a `SubscribeToShard` answer goes on.
    #[must_use]
    pub fn subscription_lifetime(self, lifetime: Duration) -> Self {
        Self {
            subscription_lifetime: lifetime,
            ..self
        }
    }

    /// The retention new streams start with.
    #[must_use]
    pub fn retention_hours(self, hours: u32) -> Self {
        Self {
            retention_hours: Some(hours),
            ..self
        }
    }

    /// How long a new stream stays `CREATING`.
    #[must_use]
    pub fn create_delay(self, delay: Duration) -> Self {
        Self {
            create_delay: delay,
            ..self
        }
    }

    /// How long a split, a merge or another change keeps a stream `UPDATING`.
    #[must_use]
    pub fn update_delay(self, delay: Duration) -> Self {
        Self {
            update_delay: delay,
            ..self
        }
    }

    /// How long a deleted stream stays `DELETING`.
    #[must_use]
    pub fn delete_delay(self, delay: Duration) -> Self {
        Self {
            delete_delay: delay,
            ..self
        }
    }

    /// How many open shards the account may have over all streams.
    #[must_use]
    pub fn shard_limit(self, shards: u32) -> Self {
        Self {
            shard_limit: shards,
            ..self
        }
    }

    /// Whether the page with a closed shard's last records ends the shard already, instead of an empty page after it.
    /// The service does either.
    #[must_use]
    pub fn last_records_end_shard(self, yes: bool) -> Self {
        Self {
            last_records_end_shard: yes,
            ..self
        }
    }

    /// Makes every stream a call names be there, with that many shards, as infrastructure managed elsewhere would. The
    /// service does not do this.
    #[must_use]
    pub fn streams_on_use(self, shards: u32) -> Self {
        Self {
            streams_on_use: Some(shards),
            ..self
        }
    }

    /// How many seconds the answers' `Date` header is ahead of the real clock, or behind it when negative.
    #[must_use]
    pub fn clock_shift(self, seconds: i64) -> Self {
        Self {
            clock_shift: ClockShift::new(seconds),
            ..self
        }
    }

    /// Starts the server; it accepts calls when this returns.
    ///
    /// # Panics
    ///
    /// When the process can open no further socket or thread.
    #[must_use]
    pub fn start(self) -> KinesisStack {
        let shared = Shared::new();
        let layer_shared = shared.clone();
        let (send_store, store) = mpsc::channel();
        let server = Server::start("kinesis-stack", move || {
            let (router, store) = ferrokinesis::create_app(self.store_options());
            send_store
                .send(store.clone())
                .expect("the starting thread waits for the store");
            let clock_shift = self.clock_shift.clone();
            Layer {
                backend: backend::Kinesis::new(router, store, self),
                shared: layer_shared,
                clock_shift,
            }
        });
        let store = store
            .recv()
            .expect("the server's thread sends its store first");
        KinesisStack {
            server,
            shared,
            store,
        }
    }

    fn store_options(&self) -> StoreOptions {
        StoreOptions {
            create_stream_ms: millis(self.create_delay),
            update_stream_ms: millis(self.update_delay),
            delete_stream_ms: millis(self.delete_delay),
            shard_limit: self.shard_limit,
            // The server counts in whole seconds; the layer refuses what is expired before that.
            iterator_ttl_seconds: self.iterator_lifetime.as_secs() + 1,
            subscribe_to_shard_session_ms: millis(self.subscription_lifetime),
            ..StoreOptions::default()
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

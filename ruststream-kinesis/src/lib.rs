//! Amazon Kinesis Data Streams for [`ruststream`].
//!
//! A Kinesis stream is a log cut into shards, and it keeps no state of its consumers. This crate
//! keeps that state: it finds the shards across splits and merges, leases each one to one instance,
//! and turns acknowledgements into checkpoints, so that a `#[subscriber]` handler reads a sharded,
//! retained log the way it reads any other broker.
//!
//! ```toml
//! ruststream = { version = "0.7.7", features = ["macros", "json"] }
//! ruststream-kinesis = "0.7"
//! serde = { version = "1", features = ["derive"] }
//! ```
//!
//! # The first service
//!
//! ```
//! # mod demo {
//! use ruststream_kinesis::prelude::*;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Order {
//!     id: u64,
//! }
//!
//! #[subscriber(KinesisStream::new("orders"))]
//! async fn handle(order: &Order) -> HandlerOutcome {
//!     println!("got order {}", order.id);
//!     HandlerOutcome::ack()
//! }
//!
//! #[ruststream::app]
//! fn app() -> impl App {
//!     RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
//!         b.include(handle);
//!     })
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! `cargo run -- run` starts it. Building the broker does no I/O: what it is not told resolves from
//! the environment when the runtime connects it. [`KinesisBroker::endpoint`],
//! [`region`](KinesisBroker::region) and [`test_credentials`](KinesisBroker::test_credentials) point
//! it at a local stack.
//!
//! Every state of the broker is a type: [`KinesisBroker`] is configuration, connecting consumes it
//! into a [`ConnectedKinesisBroker`], and the shutdown consumes that. A publisher, a seeker or a
//! delivery that outlives the shutdown answers [`KinesisError::NotConnected`].
//!
//! # Reading
//!
//! [`KinesisStream`] names a stream, by name or by ARN, and holds every setting of reading it; its
//! page lists them. The settings are also steps of the mount site, through [`KinesisSubscriberExt`],
//! and go before `start_at(..)`. A string literal, `#[subscriber("orders")]`, reads with the
//! defaults.
//!
//! A descriptor that no service would take fails the mount before any call. A stream that is not
//! there fails it when the subscription opens, unless
//! [`create_if_missing`](KinesisStream::create_if_missing) creates it.
//!
//! A subscription has one reader per shard it owns. The child of a split or a merge starts when its
//! parents are read to their end, which keeps a key's records in order across a reshard. All shards
//! of an instance go through one dispatcher: `workers(n, by_key)` handles several at once and keeps
//! each key's order.
//!
//! A record in the KPL's aggregated format is reported as [`KinesisError::AggregatedRecord`] and
//! passed by.
//!
//! # The attribute
//!
//! [`#[subscriber]`](macro@subscriber) is the framework's, with this crate's settings as keys beside
//! its clauses. What is written as a literal is checked where it stands, and every mistake of an
//! attribute is reported at once.
//!
//! ```
//! # mod demo {
//! # use ruststream_kinesis::prelude::*;
//! # use serde::Deserialize;
//! #
//! # #[derive(Deserialize)]
//! # struct Order {
//! #     id: u64,
//! # }
//! #
//! /// Handles the orders of each key in their order, from the oldest the stream retains.
//! #[subscriber(stream = "orders", poll_interval = "500ms", start_at = horizon, workers(4, by_key))]
//! async fn handle(order: &Order) -> HandlerOutcome {
//!     println!("got order {}", order.id);
//!     HandlerOutcome::ack()
//! }
//!
//! /// Counts the orders a read brings, 500 at most.
//! #[subscriber("orders.tallied", batch = 500, memory_budget = 67_108_864)]
//! async fn tally(orders: &[Order]) -> HandlerOutcome {
//!     println!("got {} orders", orders.len());
//!     HandlerOutcome::ack()
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! # Settling
//!
//! A shard's checkpoint covers every record before it, so it moves when the oldest unsettled record
//! settles. Delivery is at least once: what the checkpoint does not cover is delivered again after a
//! restart or when another instance takes the shard.
//!
//! | Outcome | Without a declaration | With `max_attempts(n)` |
//! | --- | --- | --- |
//! | `ack()`, `drop()` | checkpoints past the record | the same |
//! | `retry()` | leaves the record unhandled: the shard replays from it when its lease is next taken | checkpoints past the record and publishes a counted copy |
//! | `retry_after(d)` | checkpoints past the record and publishes a copy after `d` | the same, counted |
//!
//! The `n`th delivery that asks for another one leaves for the `dead_letter(..)` stream instead, and
//! for nowhere without one. A dead letter without a cap takes a record at its first `retry()` or
//! `retry_after(..)`.
//!
//! What does not decode is passed by like `drop()`, and logged; a handler that panics ends the
//! service, with its record unhandled. `on_failure(decode = .., panic = ..)` in the attribute says
//! otherwise: `fail_fast`, `drop`, `retry`, `retry_after(..)` or `skip`.
//!
//! The framework settles a record before it publishes its copy, so a crash between the two loses
//! that one record, and a copy that waits out its delay is in memory only. Where that matters,
//! declare nothing and let `retry()` hold the shard, with a lease store that outlives the process.
//! While the lease is held the handler is not called again for that record, and later ones are
//! still handed over. A copy lands at the tip, on the shard its partition key picks.
//!
//! # Leases
//!
//! A [`LeaseStore`] keeps each shard's owner and checkpoint. The default [`MemoryLeaseStore`] is
//! correct for a single instance and empty after a restart; several instances share the shards
//! through a store they all reach, given with [`KinesisBroker::lease_store`]: `DynamoLeaseStore` of
//! the feature `dynamodb-lease`, or one of their own. A lease lasts ten seconds and is renewed every
//! three, on a task of its own, so a slow handler never costs one. A renewal that is refused means
//! that another instance has the shard: its reader stops at once. A shard read to its end is marked
//! [`SHARD_END`], which lets its children start.
//!
//! # Positions
//!
//! A shard resumes from its checkpoint and, without one, opens at the tip of the moment the
//! subscription opened. `start_at(..)` opens it elsewhere, and goes before a stored checkpoint: at
//! every start, on each shard the subscription takes when it opens. A shard it takes over later
//! resumes from its row, so that a fail-over replays nothing. A handler moves the running
//! subscription through its [`SeekHandle`]:
//!
//! ```
//! # mod demo {
//! use ruststream_kinesis::prelude::*;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Job {
//!     id: u64,
//! }
//!
//! /// Replays what the stream retains until the marker, then follows the tip.
//! #[subscriber(KinesisStream::new("jobs"), start_at(KinesisPosition::horizon()))]
//! async fn replay(job: &Job, Ctx(seeker): Ctx<SeekHandle>) -> HandlerOutcome {
//!     if job.id == 999 && seeker.seek(KinesisPosition::latest()).await.is_err() {
//!         println!("the replay goes on");
//!     }
//!     HandlerOutcome::ack()
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! A stream-wide [`KinesisPosition`] keeps its meaning for shards found later. A seek drops the
//! bookkeeping of what was delivered before it: those acknowledgements move nothing.
//!
//! # Batches
//!
//! A handler over a slice takes batches. Their size is required: `batch = 500` in the attribute or
//! `.batch(nonzero!(500))` where the handler is mounted, and it is what every read asks for. A read
//! brings 10,000 records at most, so a batch holds no more. The handler returns one outcome, or a `Vec` with one for each record. A batch that is
//! not full is delivered 50 ms after its first record; it mixes the records of all shards, and each
//! settles on its own.
//!
//! # The delivery context
//!
//! A handler reads what its delivery is about through `Ctx`: [`Position`] is the record's place,
//! [`SeekHandle`] moves the subscription, [`KinesisContext`] holds both, and a batch has
//! [`KinesisBatchContext`]. Three headers travel with every delivery: its sequence number
//! ([`SEQUENCE_HEADER`]), its shard ([`SHARD_HEADER`]) and its partition key
//! ([`PARTITION_KEY_HEADER`], absent where the record has none).
//!
//! # Publishing
//!
//! [`KinesisPublish`], which the prelude calls `Publish`, is the policy of replies, slots and retry
//! copies, and this broker's default. One publish is one `PutRecord`. A record's partition key is
//! the first of: the [`partition_key(..)`](KinesisPublishSteps::partition_key) step of the publish,
//! its `partition-key` header, the policy's
//! [`partition_key(..)`](KinesisPublishSettings::partition_key), a key of its own. On a retry copy
//! the header ranks below the policy, since no caller wrote it.
//!
//! ```
//! # mod demo {
//! use ruststream_kinesis::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize)]
//! struct Order {
//!     id: u64,
//! }
//!
//! #[derive(Serialize, Outgoing)]
//! #[outgoing(name = "receipts")]
//! struct Receipt {
//!     order: u64,
//! }
//!
//! #[subscriber(KinesisStream::new("orders"), reply)]
//! async fn confirm(order: &Order) -> Receipt {
//!     Receipt { order: order.id }
//! }
//!
//! #[ruststream::app]
//! fn app() -> impl App {
//!     RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
//!         // One key is one shard: every receipt in order, at one shard's throughput.
//!         b.include(confirm)
//!             .out_reply(Publish::default())
//!             .partition_key("receipts");
//!     })
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! A step on one publish names the key of that record. The slot's bound on the options brings the
//! step within reach, and says that this body is written for Kinesis:
//!
//! ```
//! # mod demo {
//! # use std::time::Duration;
//! #
//! # use ruststream_kinesis::prelude::*;
//! # use serde::{Deserialize, Serialize};
//! #
//! # #[derive(Deserialize)]
//! # struct Order {
//! #     id: u64,
//! #     tenant: String,
//! # }
//! #
//! # #[derive(Serialize, Outgoing)]
//! # struct Entry {
//! #     order: u64,
//! # }
//! #
//! #[derive(OutSlot)]
//! #[publishes(Entry)]
//! struct Journal;
//!
//! #[subscriber(KinesisStream::new("orders"))]
//! async fn enter(
//!     order: &Order,
//!     Out(journal): Out<impl Publisher<Options = KinesisPublishOptions>, Journal>,
//! ) -> HandlerOutcome {
//!     let sent = journal
//!         .message(&Entry { order: order.id })
//!         .to("journal")
//!         .partition_key(order.tenant.as_str())
//!         .publish()
//!         .await;
//!     match sent {
//!         Ok(()) => HandlerOutcome::ack(),
//!         // A copy is handled in a moment. `retry()` without a cap waits for the next lease.
//!         Err(_) => HandlerOutcome::retry_after(Duration::from_secs(5)),
//!     }
//! }
//!
//! #[ruststream::app]
//! fn app() -> impl App {
//!     RustStream::new(AppInfo::new("journal", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
//!         b.include(enter)
//!             .out(Journal, Publish::default())
//!             .max_attempts(nonzero!(4))
//!             .dead_letter("orders.unjournaled")
//!             .build();
//!     })
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! The copies of retries, and dead letters, leave through the broker's default policy, whatever a
//! slot has; `.out_retry(..)` at the mount site replaces it, and `.partition_key(..)` after it gives
//! all copies one key.
//!
//! Headers travel in an envelope around the payload, written only where there are any: a record
//! without headers is the plain payload, which every Kinesis consumer reads. A publish that carries
//! trace or timing headers is an enveloped record: `RSK2`, the length of a block, the block, the
//! payload. The block is, for each header, the length of its name, the name, the length of its
//! value, the value; every length is a big-endian `u32`. What is no sound envelope is delivered
//! whole and without headers. The earlier envelope, `RSK1`, is read and never written.
//!
//! # Testing
//!
//! With the feature `testing`, the framework's `TestApp` connects the broker in this process: the
//! descriptors, the policies and the encoding are the production ones, a stream is one shard, and
//! what the service would refuse is refused. Leases, retention, resharding and missing streams are
//! the service's own.
//!
//! # Features
//!
//! All additive, all off by default.
//!
//! - `asyncapi`: the `x-ruststream-kinesis` objects of the generated document.
//! - `dynamodb-lease`: `DynamoLeaseStore`, the lease store in a `DynamoDB` table.
//! - `testing`: the in-process mode.

#![cfg_attr(docsrs, feature(doc_cfg))]

// The README's programs are compiled as the docs' are.
#[cfg(all(doctest, feature = "dynamodb-lease", feature = "testing"))]
#[doc = include_str!("../../README.md")]
struct Readme;

mod broker;
mod clock;
mod connected;
mod context;
mod describe_server;
mod endpoint;
mod error;
mod error_chain;
#[cfg(feature = "testing")]
mod in_process;
mod lease;
mod message;
mod monitor;
mod nonce;
mod per_runtime;
mod position;
pub mod prelude;
mod publish;
mod publisher;
mod rules;
mod sdk_error;
mod seek;
mod service;
mod stream;
mod subscriber;
#[cfg(feature = "testing")]
mod testable;
mod transport;

pub use broker::KinesisBroker;
pub use connected::{ClosedKinesisBroker, ConnectedKinesisBroker};
pub use context::{
    KinesisBatchContext, KinesisContext, PARTITION_KEY_HEADER, Position, SEQUENCE_HEADER,
    SHARD_HEADER, SeekHandle,
};
pub use error::KinesisError;
pub use futures::future::BoxFuture;
#[cfg(feature = "dynamodb-lease")]
pub use lease::DynamoLeaseStore;
pub use lease::{
    LeaseError, LeaseKey, LeaseState, LeaseStore, LeaseTimings, Member, MemoryLeaseStore, Opening,
    SHARD_END, Survey,
};
pub use message::KinesisMessage;
pub use monitor::{ElsewhereSnapshot, KinesisMonitor, ShardSnapshot, StreamSnapshot};
pub use position::KinesisPosition;
pub use publish::{
    KinesisPublish, KinesisPublishOptions, KinesisPublishSettings, KinesisPublishSteps,
};
pub use publisher::KinesisPublisher;
pub use ruststream_kinesis_macros::subscriber;
pub use seek::KinesisSeeker;
pub use stream::{KinesisStream, KinesisSubscriberExt};
pub use subscriber::KinesisSubscriber;

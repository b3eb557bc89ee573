//! The service with its leases in a table, and the plain client it is measured against.

use std::io::{BufRead, Write, stdin, stdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use ruststream::ConnectedBroker;
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{LeaseKey, LeaseStore};
use tokio::time::timeout;

use crate::client::{self, OPEN, REGION, STREAM, WAITING};
use crate::gauge::Gauge;
use crate::order::Order;
use crate::page::{self, FEW_ORDERS};
use crate::tally::{FEW, READ, Tally};
use crate::{Outcome, by_hand, runtime};

/// A service does not end where its server is gone.
const AT_MOST: Duration = Duration::from_mins(1);

/// A table of its own for each reader, in whichever process.
const WITH_INTERVAL: &str = "with-interval";
const SEQUENTIAL: &str = "sequential";
const KEYED: &str = "keyed";
const BY_HAND: &str = "by-hand";
const STARTED: &str = "started";

/// The lease that is written to by hand.
const ROW: &str = "shardId-by-hand";
const OWNER: &str = "host/0123456789abcdef";

#[subscriber(
    KinesisStream::new("bench").checkpoint_interval(Duration::from_secs(1)),
    start_at(KinesisPosition::horizon())
)]
async fn with_interval(order: &Order) -> HandlerOutcome {
    READ.count(order);
    HandlerOutcome::ack()
}

#[subscriber(KinesisStream::new("bench"), start_at(KinesisPosition::horizon()))]
async fn sequential(order: &Order) -> HandlerOutcome {
    FEW.count(order);
    HandlerOutcome::ack()
}

#[subscriber(
    KinesisStream::new("bench"),
    start_at(KinesisPosition::horizon()),
    workers(16, by_key)
)]
async fn keyed(order: &Order) -> HandlerOutcome {
    FEW.count(order);
    HandlerOutcome::ack()
}

/// What is made of the orders.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// Checkpoints once a second.
    WithInterval,
    /// A checkpoint for every record, one after the other.
    Sequential,
    /// Checkpoints by sixteen workers.
    Keyed,
}

/// Reads every order and prints what that took.
pub(crate) fn read(form: Form, endpoint: &str, table: &str) -> Outcome<()> {
    let (table, tally): (_, &Tally) = match form {
        Form::WithInterval => (leases(table, WITH_INTERVAL), &READ),
        Form::Sequential => (leases(table, SEQUENTIAL), &FEW),
        Form::Keyed => (leases(table, KEYED), &FEW),
    };
    runtime()?.block_on(async {
        let app = RustStream::new(AppInfo::new("bench", "0.0.0")).with_broker(
            broker(endpoint, table),
            |b| match form {
                Form::WithInterval => {
                    b.include(with_interval);
                }
                Form::Sequential => {
                    b.include(sequential);
                }
                Form::Keyed => {
                    b.include(keyed);
                }
            },
        );
        let running = app.start().await?;
        client::control(endpoint, WAITING).await?;
        let gauge = Gauge::start();
        client::control(endpoint, OPEN).await?;
        timeout(AT_MOST, tally.complete()).await?;
        let spent = gauge.stop();
        running.shutdown().await?;
        tally.check()?;
        println!("{spent}");
        Ok(())
    })
}

/// Reads a stream without an end, with an interval. Prints a line once it is well under way, and
/// after a line on the standard input how many orders it read since.
pub(crate) fn read_on(endpoint: &str, table: &str) -> Outcome<()> {
    let broker = broker(endpoint, leases(table, WITH_INTERVAL));
    runtime()?.block_on(async {
        let app = RustStream::new(AppInfo::new("bench", "0.0.0")).with_broker(broker, |b| {
            b.include(with_interval);
        });
        let running = app.start().await?;
        timeout(AT_MOST, READ.complete()).await?;
        let before = READ.orders();
        say("reading")?;
        tokio::task::spawn_blocking(hear).await??;
        say(READ.orders() - before)?;
        running.shutdown().await?;
        Ok(())
    })
}

/// Opens the stream and prints how many seconds that took. Hands everything back after a line on the
/// standard input.
pub(crate) fn start(endpoint: &str, table: &str) -> Outcome<()> {
    let broker = broker(endpoint, leases(table, STARTED));
    runtime()?.block_on(async {
        let connected = broker.connect().await?;
        let stream = KinesisStream::new(STREAM);
        let asked = Instant::now();
        let subscription = connected.subscribe_stream(stream).await?;
        say(asked.elapsed().as_secs_f64())?;
        tokio::task::spawn_blocking(hear).await??;
        drop(subscription);
        connected.shutdown().await?;
        Ok(())
    })
}

/// Stores a checkpoint for every order with the SDK alone, one after the other, and prints what that
/// took. Each is the very write of a lease that the store makes.
pub(crate) fn store_by_hand(table: &str) -> Outcome<()> {
    let client = Client::new(&by_hand::config(table));
    runtime()?.block_on(async {
        // Creates the table.
        let leases = leases(table, BY_HAND);
        leases.read(&LeaseKey::new(STREAM, "shardId-none")).await?;
        let mut put = client.put_item().table_name(BY_HAND);
        for (name, value) in [
            ("lease_key", text(ROW)),
            ("lease_owner", text(OWNER)),
            ("lease_counter", number(0)),
            ("lease_expiry", number(4_102_444_800_000)),
            ("lease_stream_created", number(1_764_000_000_000)),
        ] {
            put = put.item(name, value);
        }
        put.send().await?;
        // On a task, as a service's handlers are.
        let writing = tokio::spawn(async move {
            let gauge = Gauge::start();
            for counter in 0..FEW_ORDERS {
                store_one(&client, counter).await?;
            }
            Outcome::Ok(gauge.stop())
        });
        println!("{}", writing.await??);
        Ok(())
    })
}

async fn store_one(client: &Client, counter: u64) -> Outcome<()> {
    client
        .update_item()
        .table_name(BY_HAND)
        .key("lease_key", text(ROW))
        .update_expression("SET #c = :c, #n = :n")
        .condition_expression("attribute_exists(#k) AND #o = :o AND #n = :was")
        .expression_attribute_names("#k", "lease_key")
        .expression_attribute_names("#o", "lease_owner")
        .expression_attribute_names("#n", "lease_counter")
        .expression_attribute_names("#c", "checkpoint")
        .expression_attribute_values(":c", text(&page::sequence(0, counter)))
        .expression_attribute_values(":o", text(OWNER))
        .expression_attribute_values(":n", number(counter + 1))
        .expression_attribute_values(":was", number(counter))
        .return_values(ReturnValue::None)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await?;
    Ok(())
}

fn broker(endpoint: &str, leases: DynamoLeaseStore) -> KinesisBroker {
    KinesisBroker::new()
        .endpoint(endpoint)
        .region(REGION)
        .test_credentials()
        .lease_store(Arc::new(leases))
}

fn leases(endpoint: &str, table: &str) -> DynamoLeaseStore {
    DynamoLeaseStore::new(&by_hand::config(endpoint), table).create_table_if_missing()
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

fn number(value: u64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

fn say(line: impl std::fmt::Display) -> Outcome<()> {
    println!("{line}");
    Ok(stdout().flush()?)
}

fn hear() -> std::io::Result<usize> {
    stdin().lock().read_line(&mut String::new())
}

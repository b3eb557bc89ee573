//! The two streams, from before their creation until they are deleted.

use std::error::Error;
use std::io::{Write, stderr, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::timeout::TimeoutConfig;
use aws_sdk_kinesis::error::ProvideErrorMetadata;
use aws_sdk_kinesis::types::StreamStatus;
use tokio::time::{Instant, sleep};

use crate::Failure;
use crate::place::Place;

const ORDER_SHARDS: i32 = 4;
const RECEIPT_SHARDS: i32 = 1;
/// How long AWS may take to create a stream, or to be done with it before it can be deleted.
const PATIENCE: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(Debug, Clone)]
pub(crate) struct StreamNames {
    pub(crate) orders: String,
    pub(crate) receipts: String,
}

#[derive(Clone)]
pub(crate) struct Streams {
    client: Client,
    place: Arc<str>,
    names: StreamNames,
    /// Whether there may be something to delete.
    begun: Arc<AtomicBool>,
}

impl Streams {
    pub(crate) fn new(place: &Place) -> Self {
        let config = aws_sdk_kinesis::config::Builder::from(&place.config)
            .timeout_config(
                TimeoutConfig::builder()
                    .connect_timeout(Duration::from_secs(2))
                    .operation_attempt_timeout(Duration::from_secs(5))
                    .operation_timeout(Duration::from_secs(12))
                    .build(),
            )
            .build();
        let prefix = if place.own {
            String::new()
        } else {
            unique_prefix()
        };
        Self {
            client: Client::from_conf(config),
            place: place.name.as_str().into(),
            names: StreamNames {
                orders: format!("{prefix}orders"),
                receipts: format!("{prefix}receipts"),
            },
            begun: Arc::default(),
        }
    }

    pub(crate) fn names(&self) -> &StreamNames {
        &self.names
    }

    fn each(&self) -> [(&str, i32); 2] {
        [
            (&self.names.orders, ORDER_SHARDS),
            (&self.names.receipts, RECEIPT_SHARDS),
        ]
    }

    /// Says what is going to be created, and where.
    pub(crate) fn announce(&self, place: &Place) {
        println!("kinesis     {}", place.name);
        for (name, shards) in self.each() {
            let plural = if shards == 1 { "" } else { "s" };
            println!("create      {name}, {shards} shard{plural}");
        }
        if place.billed {
            println!(
                "\nBoth are deleted on success, an error, a panic, SIGINT, SIGTERM, SIGHUP and SIGQUIT. AWS \
                 charges\nby the shard and hour: at most {} shard hours, about 0.08 USD at us-east-1 prices.\n",
                ORDER_SHARDS + RECEIPT_SHARDS
            );
        }
    }

    /// Creates both.
    ///
    /// # Errors
    ///
    /// Where the place does not answer, refuses, or has such a stream already.
    pub(crate) async fn create(&self) -> Result<(), Failure> {
        for (name, _) in self.each() {
            if self.status(name).await?.is_some() {
                return Err(format!("Kinesis {} has a stream '{name}' already", self.place).into());
            }
        }
        self.begun.store(true, Ordering::Relaxed);
        for (name, shards) in self.each() {
            let create = self.client.create_stream().stream_name(name);
            if let Err(failure) = create.shard_count(shards).send().await {
                return Err(self.failed("CreateStream", name, &failure));
            }
        }
        Ok(())
    }

    /// Waits until both can be used.
    ///
    /// # Errors
    ///
    /// Where that takes more than a minute.
    pub(crate) async fn usable(&self) -> Result<(), Failure> {
        let until = Instant::now() + PATIENCE;
        for (name, _) in self.each() {
            while self.status(name).await? != Some(StreamStatus::Active) {
                if Instant::now() > until {
                    return Err(format!("stream '{name}' is not usable after {PATIENCE:?}").into());
                }
                sleep(LOOK_EVERY).await;
            }
        }
        Ok(())
    }

    /// Deletes what was created, and what may have been.
    ///
    /// # Errors
    ///
    /// Names the streams that may be left.
    pub(crate) async fn delete(&self) -> Result<(), Failure> {
        if !self.begun.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut left = Vec::new();
        for (name, _) in self.each() {
            match self.delete_one(name).await {
                Ok(()) => {
                    // `println!` panics where nobody reads, and there is another one to delete.
                    let _ = writeln!(stdout(), "deleted     {name}");
                }
                Err(failure) => {
                    let _ = writeln!(stderr(), "error: {failure}");
                    left.push(name);
                }
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        Err(format!(
            "left on Kinesis {}, delete by hand: {}",
            self.place,
            left.join(", ")
        )
        .into())
    }

    async fn delete_one(&self, name: &str) -> Result<(), Failure> {
        let until = Instant::now() + PATIENCE;
        loop {
            let delete = self.client.delete_stream().stream_name(name);
            let Err(failure) = delete.send().await else {
                return Ok(());
            };
            match failure.code() {
                Some("ResourceNotFoundException") => return Ok(()),
                // It is still being created, or the account changes too many at once.
                Some("ResourceInUseException" | "LimitExceededException")
                    if Instant::now() < until =>
                {
                    sleep(LOOK_EVERY).await;
                }
                _ => return Err(self.failed("DeleteStream", name, &failure)),
            }
        }
    }

    /// The stream's status; nothing where there is no such stream.
    async fn status(&self, name: &str) -> Result<Option<StreamStatus>, Failure> {
        let describe = self.client.describe_stream_summary().stream_name(name);
        match describe.send().await {
            Ok(answer) => Ok(answer
                .stream_description_summary
                .map(|summary| summary.stream_status)),
            Err(failure) if failure.code() == Some("ResourceNotFoundException") => Ok(None),
            Err(failure) => Err(self.failed("DescribeStreamSummary", name, &failure)),
        }
    }

    fn failed(&self, call: &str, stream: &str, failure: &(dyn Error + 'static)) -> Failure {
        // The SDK's own text is only the outermost layer.
        let mut causes = vec![failure.to_string()];
        let mut cause = failure.source();
        while let Some(deeper) = cause {
            causes.push(deeper.to_string());
            cause = deeper.source();
        }
        format!(
            "{call} for stream '{stream}' failed on Kinesis {}: {}",
            self.place,
            causes.join(": ")
        )
        .into()
    }
}

/// Tells the streams of this run from those of every other.
fn unique_prefix() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_millis();
    format!("quickstart-{now:x}-{:x}-", std::process::id())
}

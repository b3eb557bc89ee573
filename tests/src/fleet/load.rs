//! A numbered load: for each key the records 0, 1, 2 .. in their order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::primitives::Blob;
use aws_sdk_kinesis::types::PutRecordsRequestEntry;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use serde::{Deserialize, Serialize};

use crate::live::within;

/// Records of one call. Source: `PutRecords` API reference.
const MOST_RECORDS: usize = 500;

/// A record's payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbered {
    /// Its key.
    pub key: String,
    /// How many of its key came before it.
    pub number: u64,
}

/// How many records of each key were published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published(pub BTreeMap<String, u64>);

impl Published {
    /// How many there are in all.
    #[must_use]
    pub fn total(&self) -> usize {
        let total: u64 = self.0.values().sum();
        usize::try_from(total).unwrap_or(usize::MAX)
    }
}

/// Publishes to one stream. Its keys lie evenly in the hash key space.
#[derive(Debug, Clone)]
pub struct Load {
    client: Client,
    stream: String,
    keys: usize,
    rounds: u64,
    /// How many records that are in all, for those who look from elsewhere.
    written: Arc<AtomicU64>,
}

impl Load {
    pub(super) fn new(client: Client, stream: &str, keys: usize) -> Self {
        assert!(
            keys <= MOST_RECORDS,
            "one call writes one record of each key"
        );
        Self {
            client,
            stream: stream.to_owned(),
            keys,
            rounds: 0,
            written: Arc::default(),
        }
    }

    /// Publishes that many records of each key.
    pub async fn publish(&mut self, records: usize) {
        for _ in 0..records {
            self.round().await;
        }
    }

    /// What was published so far.
    #[must_use]
    pub fn published(&self) -> Published {
        let keys = (0..self.keys).map(|key| (name(key), self.rounds));
        Published(keys.collect())
    }

    /// Goes on until it is told to stop, with a record of each key every so often.
    #[must_use]
    pub fn run(mut self, every: Duration) -> Running {
        let (stop, mut told) = watch::channel(false);
        let written = Arc::clone(&self.written);
        let task = tokio::spawn(async move {
            let mut due = tokio::time::interval(every);
            loop {
                tokio::select! {
                    _ = due.tick() => self.round().await,
                    _ = told.changed() => return self,
                }
            }
        });
        Running {
            written,
            stop,
            task,
        }
    }

    /// One record of each key. A record that was refused is written before the next of its key.
    async fn round(&mut self) {
        let mut left: Vec<_> = (0..self.keys).collect();
        within(async {
            while !left.is_empty() {
                let records = left.iter().map(|key| self.record(*key)).collect();
                let call = self.client.put_records().stream_name(&self.stream);
                let answer = call.set_records(Some(records)).send().await;
                let answer = answer.expect("the records are taken");
                let answers = answer.records().iter();
                left = left
                    .iter()
                    .zip(answers)
                    .filter(|(_, answer)| answer.error_code().is_some())
                    .map(|(key, _)| *key)
                    .collect();
            }
        })
        .await;
        self.rounds += 1;
        self.written.fetch_add(self.keys as u64, Ordering::Relaxed);
    }

    fn record(&self, key: usize) -> PutRecordsRequestEntry {
        let each = u128::MAX / self.keys as u128;
        let hash = each * key as u128 + each / 2;
        let payload = Numbered {
            key: name(key),
            number: self.rounds,
        };
        let payload = serde_json::to_vec(&payload).expect("plain data");
        PutRecordsRequestEntry::builder()
            .partition_key(name(key))
            .explicit_hash_key(hash.to_string())
            .data(Blob::new(payload))
            .build()
            .expect("a record is complete")
    }
}

fn name(key: usize) -> String {
    format!("k{key:03}")
}

/// A load that goes on.
#[derive(Debug)]
pub struct Running {
    written: Arc<AtomicU64>,
    stop: watch::Sender<bool>,
    task: JoinHandle<Load>,
}

impl Running {
    /// How many records it has written, to be asked at any time.
    #[must_use]
    pub fn written(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.written)
    }

    /// Ends it, and answers it as it is then.
    pub async fn stop(self) -> Load {
        self.stop.send_replace(true);
        within(self.task).await.expect("the load runs to its end")
    }
}

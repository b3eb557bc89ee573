//! The loop one writes by hand over the SDK, with the framework's JSON codec.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::{Credentials, SharedCredentialsProvider};
use aws_sdk_kinesis::types::ShardIteratorType;
use ruststream::codec::{Codec, JsonCodec};
use tokio::task::JoinSet;

use crate::client::{self, OPEN, REGION, STREAM, WAITING};
use crate::gauge::Gauge;
use crate::order::Order;
use crate::tally::READ;
use crate::{Outcome, runtime};

/// How the loop goes over the shards.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// One task reads them in turn.
    InTurn,
    /// Each has a task of its own.
    TaskPerShard,
}

/// Reads every order and prints what that took.
pub(crate) fn read(endpoint: &str, form: Form) -> Outcome<()> {
    runtime()?.block_on(async {
        let client = Client::new(&config(endpoint));
        let listed = client.list_shards().stream_name(STREAM).send().await?;
        let mut shards = Vec::new();
        for shard in listed.shards() {
            shards.push(Shard::open(&client, shard.shard_id()).await?);
        }
        let mut loops = JoinSet::new();
        match form {
            Form::InTurn => {
                loops.spawn(in_turn(shards));
            }
            Form::TaskPerShard => {
                for shard in shards {
                    loops.spawn(alone(shard));
                }
            }
        }
        client::control(endpoint, WAITING).await?;
        let gauge = Gauge::start();
        client::control(endpoint, OPEN).await?;
        while let Some(ended) = loops.join_next().await {
            ended??;
        }
        let spent = gauge.stop();
        READ.check()?;
        println!("{spent}");
        Ok(())
    })
}

async fn in_turn(mut shards: Vec<Shard>) -> Outcome<()> {
    while !shards.is_empty() {
        for shard in &mut shards {
            shard.read().await?;
        }
        shards.retain(|shard| shard.behind);
    }
    Ok(())
}

async fn alone(mut shard: Shard) -> Outcome<()> {
    while shard.behind {
        shard.read().await?;
    }
    Ok(())
}

struct Shard {
    client: Client,
    iterator: Option<String>,
    behind: bool,
}

impl Shard {
    async fn open(client: &Client, shard: &str) -> Outcome<Self> {
        let opened = client
            .get_shard_iterator()
            .stream_name(STREAM)
            .shard_id(shard)
            .shard_iterator_type(ShardIteratorType::TrimHorizon)
            .send()
            .await?;
        Ok(Self {
            client: client.clone(),
            iterator: opened.shard_iterator,
            behind: true,
        })
    }

    /// Reads one page.
    async fn read(&mut self) -> Outcome<()> {
        let page = self
            .client
            .get_records()
            .set_shard_iterator(self.iterator.take())
            .limit(10_000)
            .send()
            .await?;
        for record in &page.records {
            let order: Order = JsonCodec.decode(record.data.as_ref())?;
            READ.count(&order);
        }
        self.behind = page.millis_behind_latest.is_some_and(|behind| behind > 0);
        self.iterator = page.next_shard_iterator;
        Ok(())
    }
}

pub(crate) fn config(endpoint: &str) -> SdkConfig {
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static(REGION))
        .endpoint_url(endpoint)
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new(
            "test", "test", None, None, "bench",
        )))
        .build()
}

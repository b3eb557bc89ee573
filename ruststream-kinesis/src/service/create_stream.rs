//! A stream that is there and usable before its subscription opens.

use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::types::StreamStatus;
use tokio::time::sleep_until;

use super::calls::{self, Address, Summary};
use crate::clock;
use crate::error::{Cause, KinesisError};
use crate::rules::creation::Creation;
use crate::rules::stream_ref::StreamRef;
use crate::sdk_error::{Failure, Kind};
use crate::stream::KinesisStream;

/// The stream's summary once it is usable; creates it where the descriptor says so.
///
/// # Errors
///
/// [`KinesisError::Stream`] where it is missing and not to be created, and where it is not usable
/// within a minute.
pub(crate) async fn ensure(
    client: &Client,
    stream: &KinesisStream,
    named: StreamRef<'_>,
    address: &Address,
) -> Result<Summary, KinesisError> {
    let failed = |failure: Cause| KinesisError::stream(stream.stream(), failure);
    let Some(shards) = stream.create_if_missing else {
        let summary = calls::describe(client, address)
            .await
            .map_err(|failure| failed(Box::new(failure)))?;
        return match summary.status {
            StreamStatus::Active | StreamStatus::Updating => Ok(summary),
            status => Err(failed(
                format!("the stream is {status}, which cannot be read").into(),
            )),
        };
    };
    let mut creation = Creation::new(clock::now());
    loop {
        let state = match calls::describe(client, address).await {
            Ok(summary) => match summary.status {
                StreamStatus::Active | StreamStatus::Updating => return Ok(summary),
                status => status.to_string(),
            },
            Err(failure) if failure.kind() == Kind::NotFound => {
                let hindered = create(client, stream, named.name(), shards, address)
                    .await
                    .map_err(|failure| failed(Box::new(failure)))?;
                hindered.map_or_else(
                    || "missing".to_owned(),
                    |failure| format!("missing ({failure})"),
                )
            }
            Err(failure) if failure.kind() == Kind::Throttled => "throttled".to_owned(),
            Err(failure) => return Err(failed(Box::new(failure))),
        };
        let next = creation
            .look_again(&state, clock::now())
            .map_err(|reason| failed(reason.into()))?;
        sleep_until(next.into()).await;
    }
}

/// Creates the stream; answers what stands in the way of it for the moment.
async fn create(
    client: &Client,
    stream: &KinesisStream,
    name: &str,
    shards: i32,
    address: &Address,
) -> Result<Option<Failure>, Failure> {
    match calls::create(client, address, name, shards).await {
        Ok(()) => {
            tracing::info!(
                target: "ruststream::kinesis",
                stream = stream.stream(),
                shards,
                "stream created",
            );
            Ok(None)
        }
        // Another instance was faster.
        Err(failure) if failure.kind() == Kind::InUse => Ok(None),
        // Too many at once, or more shards than the account may have: the error tells in the end.
        Err(failure) if failure.kind() == Kind::Throttled => Ok(Some(failure)),
        Err(failure) => Err(failure),
    }
}

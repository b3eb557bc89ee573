//! What the framework's test harness asks of a broker in process.

use std::sync::Arc;

use ruststream::testing::{Coordinator, InProcess, TestableBroker};
use ruststream::{Bytes, OutgoingMessage, RawMessage, Str, register_testable_broker};

use crate::broker::KinesisBroker;
use crate::connected::ConnectedKinesisBroker;
use crate::context::PARTITION_KEY_HEADER;
use crate::error::KinesisError;
use crate::in_process::Log;
use crate::publish::KinesisPublish;
use crate::publisher;
use crate::rules::{envelope, stream_ref};
use crate::transport::Transport;

impl InProcess for KinesisBroker {
    /// Connects to a log of its own in this process. Nothing is dialled and nothing of the
    /// environment is read; settings that a connect refuses unseen are refused here as well.
    async fn connect_in_process(self) -> Result<ConnectedKinesisBroker, KinesisError> {
        self.check()?;
        self.link.connect(Transport::InProcess(Log::new()))?;
        Ok(ConnectedKinesisBroker::new(self.link))
    }
}

register_testable_broker!(KinesisBroker);

impl ConnectedKinesisBroker {
    /// The log of a broker that is connected in process.
    fn log(&self) -> Option<&Arc<Log>> {
        match self.link.transport() {
            Ok(Transport::InProcess(log)) => Some(log),
            Ok(Transport::Service(_)) | Err(_) => None,
        }
    }
}

impl TestableBroker for ConnectedKinesisBroker {
    fn install_coordinator(&self, coordinator: Coordinator) {
        if let Some(log) = self.log() {
            log.install(coordinator);
        }
    }

    /// Writes the record as a publisher with the default policy does.
    ///
    /// # Panics
    ///
    /// On a record the service would refuse: an injection has no other way to say so.
    fn inject(&self, message: OutgoingMessage<'_>) {
        let (stream, payload, headers) = message.into_parts();
        let policy = KinesisPublish::default();
        let written = publisher::record(stream, payload.to_vec(), headers, None, &policy).and_then(
            |record| {
                self.log().ok_or(KinesisError::NotConnected)?.put(
                    record.stream,
                    record.partition_key,
                    record.data,
                )
            },
        );
        if let Err(error) = written {
            panic!("the injected record is refused: {error}");
        }
    }

    /// Every record of the stream, whoever wrote it and however he named it, with the headers it
    /// was written with and its partition key.
    fn published(&self, name: &str) -> Vec<RawMessage> {
        let (Some(log), Ok(stream)) = (self.log(), stream_ref::parse(name)) else {
            return Vec::new();
        };
        let records = log.records(stream.name()).into_iter();
        records.map(|(key, data)| read(name, key, &data)).collect()
    }

    /// A name and an ARN of one stream are one stream.
    fn routes(&self, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        let Ok(stream) = stream_ref::parse(destination) else {
            return Vec::new();
        };
        subscriptions
            .iter()
            .enumerate()
            .filter(|(_, subscription)| {
                stream_ref::parse(subscription).is_ok_and(|named| named.name() == stream.name())
            })
            .map(|(position, _)| position)
            .collect()
    }
}

fn read(stream: &str, partition_key: String, data: &Bytes) -> RawMessage {
    let payload = data.slice(envelope::payload_at(data)..);
    let mut headers: ruststream::HeaderMap = envelope::headers(data)
        .iter()
        .filter_map(|(name, value)| Some((Str::try_from(name).ok()?, value)))
        .collect();
    headers.insert(Str::from_static(PARTITION_KEY_HEADER), partition_key);
    RawMessage::new(stream.to_owned(), payload).with_headers(headers)
}

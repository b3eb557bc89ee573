//! A broker that is no Kinesis: reels of tape that live in the process and replay their records.

#![allow(dead_code, reason = "each suite uses its part")]
#![allow(unreachable_pub, reason = "a test binary exports nothing")]

use std::fmt;
use std::future::{Future, ready};
use std::sync::{Arc, Mutex};

use futures::{Stream, stream};
use ruststream::{AckError, ConnectedBroker, HeaderMap, IncomingMessage, Subscriber};

#[derive(Debug, PartialEq, Eq)]
pub enum TapeError {
    Invalid(String),
}

impl fmt::Display for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Invalid(reason) = self;
        f.write_str(reason)
    }
}

impl std::error::Error for TapeError {}

/// What was opened and what was published, in order.
#[derive(Debug, Clone, Default)]
pub struct ConnectedTape {
    pub opened: Arc<Mutex<Vec<String>>>,
}

impl ConnectedBroker for ConnectedTape {
    type Error = TapeError;
    type Closed = ();

    fn shutdown(self) -> impl Future<Output = Result<(), TapeError>> + Send {
        ready(Ok(()))
    }
}

#[derive(Debug)]
pub struct TapeSubscriber;

impl Subscriber for TapeSubscriber {
    type Message = TapeMessage;
    type Error = TapeError;

    fn stream(&mut self) -> impl Stream<Item = Result<TapeMessage, TapeError>> + Send + '_ {
        stream::empty()
    }
}

#[derive(Debug)]
pub struct TapeMessage {
    pub index: u64,
    pub rewinder: Rewinder,
    pub headers: HeaderMap,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewinder(pub String);

impl IncomingMessage for TapeMessage {
    fn payload(&self) -> &[u8] {
        &[]
    }

    fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    fn ack(self) -> impl Future<Output = Result<(), AckError>> + Send {
        ready(Ok(()))
    }

    fn nack(self, _requeue: bool) -> impl Future<Output = Result<(), AckError>> + Send {
        ready(Ok(()))
    }
}

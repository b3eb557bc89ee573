//! The `DynamoDB` server.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::Uri;
use bytes::Bytes;
use dynoxide::Database;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::layer::{Backend, ClockShift, Layer, Shared, Subject};
use crate::server::{Server, loopback};
use crate::wire::{Received, Reply};
use crate::writes::Scribe;
use crate::{Calls, Faults, Writes};

/// A `DynamoDB` server on loopback, in memory. Dropping it stops the server and frees the port.
#[derive(Debug)]
pub struct DynamoStack {
    server: Server,
    shared: Shared,
    clock_shift: ClockShift,
    writes: Arc<Writes>,
}

impl DynamoStack {
    /// Starts a server; it accepts calls when this returns.
    ///
    /// # Panics
    ///
    /// When the process can open no further socket or thread.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with_clock_shift(0)
    }

    /// Starts a server whose `Date` header is this many seconds ahead of the real clock, or behind it when negative.
    ///
    /// # Panics
    ///
    /// When the process can open no further socket or thread.
    #[must_use]
    pub fn start_with_clock_shift(seconds: i64) -> Self {
        let shared = Shared::new();
        let layer_shared = shared.clone();
        let clock_shift = ClockShift::new(seconds);
        let layer_clock_shift = clock_shift.clone();
        let writes = Arc::new(Writes::new());
        let layer_writes = Arc::clone(&writes);
        let server = Server::start("dynamodb-stack", move || Layer {
            backend: Dynamo::start(layer_writes, layer_clock_shift.clone()),
            shared: layer_shared,
            clock_shift: layer_clock_shift,
        });
        Self {
            server,
            shared,
            clock_shift,
            writes,
        }
    }

    /// Sets how many seconds the `Date` header of every answer from now on is ahead of the real clock.
    pub fn shift_clock(&self, seconds: i64) {
        self.clock_shift.set(seconds);
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

    /// The log of writes, with what each made of its item. It is empty until [`Writes::record`].
    #[must_use]
    pub fn writes(&self) -> &Writes {
        &self.writes
    }
}

/// The emulator, which serves only a listener of its own: calls go on to it over a second loopback port.
struct Dynamo {
    emulator: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
    /// The names of each table's key attributes, learned when it is created.
    key_names: Mutex<HashMap<String, Vec<String>>>,
    scribe: Scribe,
}

/// Operations on tables, whose throttle is `ThrottlingException`.
const CONTROL_PLANE: [&str; 7] = [
    "CreateTable",
    "DeleteTable",
    "DescribeTable",
    "DescribeTimeToLive",
    "ListTables",
    "UpdateTable",
    "UpdateTimeToLive",
];

impl Dynamo {
    /// Runs on the server's runtime and ends with it.
    fn start(writes: Arc<Writes>, clock_shift: ClockShift) -> Self {
        let listener = loopback();
        let emulator = listener
            .local_addr()
            .expect("a bound listener has an address");
        let listener = tokio::net::TcpListener::from_std(listener)
            .expect("the runtime takes a non-blocking listener");
        let database = Database::memory().expect("SQLite opens a database in memory");
        tokio::spawn(dynoxide::server::serve_with_shutdown(
            listener,
            database.clone(),
            std::future::pending(),
        ));
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self {
            emulator,
            client: Client::builder(TokioExecutor::new()).build(connector),
            key_names: Mutex::default(),
            scribe: Scribe::new(writes, database, clock_shift),
        }
    }

    fn learn_keys(&self, received: &Received) {
        let (Some(table), Some(schema)) = (
            received.text("TableName"),
            received.body["KeySchema"].as_array(),
        ) else {
            return;
        };
        let names = schema
            .iter()
            .filter_map(|part| part["AttributeName"].as_str())
            .map(str::to_owned)
            .collect();
        self.key_names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(table.to_owned(), names);
    }

    fn key_names(&self, table: &str) -> Vec<String> {
        let names = self
            .key_names
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        names.get(table).cloned().unwrap_or_default()
    }

    fn keys(&self, table: &str, item: &Value) -> Vec<String> {
        self.key_names(table)
            .iter()
            .filter_map(|name| scalar(&item[name]))
            .map(str::to_owned)
            .collect()
    }

    async fn forward(&self, received: &Received) -> Reply {
        let mut request = received.to_request::<Full<Bytes>>();
        let uri = Uri::builder()
            .scheme("http")
            .authority(self.emulator.to_string())
            .path_and_query("/")
            .build();
        *request.uri_mut() = uri.expect("a socket address is an authority");
        match self.client.request(request).await {
            Ok(response) => Reply::read(response).await,
            Err(_) => Reply::error(500, Self::FAILURE, "the emulator did not answer"),
        }
    }
}

/// The text of a key attribute: a string, a number or Base64 bytes.
fn scalar(attribute: &Value) -> Option<&str> {
    ["S", "N", "B"]
        .into_iter()
        .find_map(|kind| attribute[kind].as_str())
}

impl Backend for Dynamo {
    const CONTENT_TYPE: &'static str = "application/x-amz-json-1.0";
    const FAILURE: &'static str = "InternalServerError";

    fn throttle(operation: &str) -> &'static str {
        if CONTROL_PLANE.contains(&operation) {
            "ThrottlingException"
        } else {
            "ProvisionedThroughputExceededException"
        }
    }

    fn subject(&self, received: &Received) -> Subject {
        if received.operation == "CreateTable" {
            self.learn_keys(received);
        }
        // A batch names its tables as the keys of `RequestItems`; only a batch for one table has a subject.
        let batch = received.body["RequestItems"]
            .as_object()
            .filter(|tables| tables.len() == 1);
        let table = received
            .text("TableName")
            .or_else(|| batch?.keys().next().map(String::as_str));
        let Some(table) = table else {
            return Subject::default();
        };
        let item = if received.body["Key"].is_object() {
            &received.body["Key"]
        } else {
            &received.body["Item"]
        };
        Subject {
            resource: Some(table.to_owned()),
            keys: self.keys(table, item),
        }
    }

    async fn serve(&self, received: Received) -> Reply {
        if let Some(refusal) = self.scribe.refuses(&received) {
            return refusal;
        }
        let key_names = self.key_names(received.text("TableName").unwrap_or_default());
        let pending = self.scribe.open(&received, &key_names).await;
        let reply = self.forward(&received).await;
        if let Some(pending) = pending {
            pending.served(&reply);
        }
        reply
    }
}

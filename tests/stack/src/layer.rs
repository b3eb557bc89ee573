//! The fault layer: logs a call, asks the script, and serves or breaks the call.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use axum::body::Body;
use axum::http::header::DATE;
use axum::http::{HeaderValue, Request, Response};
use serde_json::{Value, json};

use crate::wire::{Cut, Received, Reply};
use crate::{Call, Calls, Fault, Faults};

/// How far behind an [`Fault::EmptyPageBehind`] page says it is.
const BEHIND_MILLIS: u64 = 1_000;

/// What a call is about.
#[derive(Default)]
pub(crate) struct Subject {
    pub(crate) resource: Option<String>,
    pub(crate) keys: Vec<String>,
}

/// A server behind the layer.
pub(crate) trait Backend: Send + Sync + 'static {
    const CONTENT_TYPE: &'static str;
    /// The code of a failure of the service itself.
    const FAILURE: &'static str;

    /// The code under which the service refuses this operation for its rate.
    fn throttle(operation: &str) -> &'static str;

    fn subject(&self, received: &Received) -> Subject;

    fn serve(&self, received: Received) -> impl Future<Output = Reply> + Send;
}

/// What the handle and the layer share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) faults: Faults,
    pub(crate) calls: Arc<Calls>,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            faults: Faults::default(),
            calls: Arc::new(Calls::new()),
        }
    }
}

/// How many seconds the `Date` header is from the real clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockShift(Arc<AtomicI64>);

impl ClockShift {
    pub(crate) fn new(seconds: i64) -> Self {
        Self(Arc::new(AtomicI64::new(seconds)))
    }

    #[cfg(feature = "dynamodb")]
    pub(crate) fn set(&self, seconds: i64) {
        self.0.store(seconds, Ordering::Relaxed);
    }

    pub(crate) fn time(&self) -> SystemTime {
        let seconds = self.0.load(Ordering::Relaxed);
        let shift = Duration::from_secs(seconds.unsigned_abs());
        let now = SystemTime::now();
        let shifted = if seconds < 0 {
            now.checked_sub(shift)
        } else {
            now.checked_add(shift)
        };
        shifted.expect("the shifted clock is a valid time")
    }

    fn header(&self) -> HeaderValue {
        let date = httpdate::fmt_http_date(self.time());
        HeaderValue::from_str(&date).expect("an HTTP date is ASCII")
    }
}

pub(crate) struct Layer<B> {
    pub(crate) backend: B,
    pub(crate) shared: Shared,
    pub(crate) clock_shift: ClockShift,
}

impl<B: Backend> Layer<B> {
    pub(crate) async fn answer(&self, request: Request<Body>) -> Result<Response<Body>, Cut> {
        let received = Received::read(request).await?;
        let call = self.call(&received);
        // Logged first: whoever waits for a rule to be met then finds the call in the log.
        self.shared.calls.record(call.clone());
        let (fault, rule) = self.shared.faults.take(&call).unzip();
        let is_dated = !matches!(fault, Some(Fault::NoDate));
        let reply = if let (Some(Fault::Hold), Some(rule)) = (&fault, rule) {
            rule.removed().await;
            let reply = self.backend.serve(received).await;
            rule.serve();
            reply
        } else {
            self.meet(fault, received).await?
        };
        let mut response = reply.into_response(B::CONTENT_TYPE);
        if is_dated {
            response
                .headers_mut()
                .insert(DATE, self.clock_shift.header());
        } else {
            response.headers_mut().remove(DATE);
        }
        Ok(response)
    }

    fn call(&self, received: &Received) -> Call {
        let Subject { resource, keys } = self.backend.subject(received);
        let request = match received.operation.as_str() {
            "PutRecord" | "PutRecords" => without_payload(&received.body),
            _ => received.body.clone(),
        };
        Call {
            operation: received.operation.clone(),
            resource,
            keys,
            request,
            access_key: received.access_key(),
            at: Instant::now(),
        }
    }

    async fn meet(&self, fault: Option<Fault>, received: Received) -> Result<Reply, Cut> {
        let Some(fault) = fault else {
            return Ok(self.backend.serve(received).await);
        };
        Ok(match fault {
            Fault::Hold | Fault::NoDate => self.backend.serve(received).await,
            Fault::Throttle => {
                Reply::error(400, B::throttle(&received.operation), "Rate exceeded.")
            }
            Fault::ErrorBefore => failure::<B>(),
            Fault::ErrorAfter => {
                self.backend.serve(received).await;
                failure::<B>()
            }
            Fault::NoAnswer => std::future::pending().await,
            Fault::DropBefore => return Err(Cut),
            Fault::DropAfter => {
                self.backend.serve(received).await;
                return Err(Cut);
            }
            Fault::ExpiredIterator => {
                Reply::error(400, "ExpiredIteratorException", "Iterator expired.")
            }
            Fault::ExpiredListToken => {
                Reply::error(400, "ExpiredNextTokenException", "NextToken expired.")
            }
            Fault::EmptyPageBehind => {
                let iterator = &received.body["ShardIterator"];
                let page = json!({
                    "Records": [],
                    "NextShardIterator": iterator,
                    "MillisBehindLatest": BEHIND_MILLIS,
                });
                Reply::json(200, page)
            }
            Fault::Delay(delay) => {
                tokio::time::sleep(delay).await;
                self.backend.serve(received).await
            }
            Fault::ReversePage => self.serve_changed(received, reverse_page).await,
            Fault::Answer { status, body } => Reply::json(status, body),
            Fault::Rewrite(change) => {
                self.serve_changed(received, |body| change.apply(body))
                    .await
            }
        })
    }

    async fn serve_changed(&self, received: Received, change: impl FnOnce(&mut Value)) -> Reply {
        let mut reply = self.backend.serve(received).await;
        if let Some(body) = reply.success() {
            change(body);
        }
        reply
    }
}

fn failure<B: Backend>() -> Reply {
    Reply::error(500, B::FAILURE, "An internal error occurred.")
}

/// The log keeps what was asked, not the data.
fn without_payload(body: &Value) -> Value {
    let fields = body.as_object().into_iter().flatten();
    let fields = fields.filter(|(name, _)| !["Data", "Records"].contains(&name.as_str()));
    fields
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn reverse_page(body: &mut Value) {
    if let Some(records) = body["Records"].as_array_mut() {
        records.reverse();
    }
}

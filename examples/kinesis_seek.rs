//! A handler that moves its subscription while it runs.
//!
//! `cargo run --example kinesis_seek`

use std::time::{Duration, UNIX_EPOCH};

use ruststream_kinesis::prelude::*;
use serde::Deserialize;

/// A price that is older than that is of no use to anybody.
const FRESH_FOR: Duration = Duration::from_mins(1);

#[derive(Deserialize)]
struct Quote {
    symbol: String,
    cents: u64,
    /// In seconds since the Unix epoch.
    sent_at: u64,
}

impl Quote {
    fn is_stale(&self) -> bool {
        let sent_at = UNIX_EPOCH + Duration::from_secs(self.sent_at);
        sent_at.elapsed().is_ok_and(|age| age > FRESH_FOR)
    }
}

/// After an outage there is a backlog of old prices: the first of them moves the subscription to the
/// tip, and the rest is never read.
#[subscriber(KinesisStream::new("quotes"))]
async fn show(quote: &Quote, Ctx(seeker): Ctx<SeekHandle>) -> HandlerOutcome {
    if !quote.is_stale() {
        println!("{} stands at {} cents", quote.symbol, quote.cents);
        return HandlerOutcome::ack();
    }
    // When this returns, every shard is there, and acknowledging an older record moves nothing.
    if let Err(error) = seeker.seek(KinesisPosition::latest()).await {
        eprintln!("the backlog is read on: {error}");
    }
    HandlerOutcome::ack()
}

#[ruststream::app]
pub(crate) fn app() -> impl App {
    RustStream::new(AppInfo::new("quotes", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(show);
    })
}

//! A handler that moves its subscription, without macros: the seeker is in the broker's context.
//!
//! `cargo run --example manual_kinesis_seek`

use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

use ruststream::runtime::cli::run_main;
use ruststream_kinesis::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

/// A price that is older than that is of no use to anybody.
const FRESH_FOR: Duration = Duration::from_mins(1);

#[derive(Deserialize, JsonSchema)]
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
struct Show;

impl Handle<Quote, (), (), KinesisContext> for Show {
    async fn handle(
        &self,
        quote: &Quote,
        _outs: &(),
        ctx: &mut Context<'_, KinesisContext>,
    ) -> Result<(), HandlerOutcome> {
        if !quote.is_stale() {
            println!("{} stands at {} cents", quote.symbol, quote.cents);
            return Ok(());
        }
        // When this returns, every shard is there, and acknowledging an older record moves nothing.
        let seeker = ctx.context(SeekHandle);
        if let Err(error) = seeker.seek(KinesisPosition::latest()).await {
            eprintln!("the backlog is read on: {error}");
        }
        Ok(())
    }
}

pub(crate) fn app() -> RustStream {
    RustStream::new(AppInfo::new("quotes", "0.1.0")).with_broker(KinesisBroker::new(), |b| {
        b.include(subscriber(KinesisStream::new("quotes"), Show).build());
    })
}

fn main() -> ExitCode {
    run_main(app)
}

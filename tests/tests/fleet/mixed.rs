//! Several instances on many shards, with everything that can happen to them under one load.

mod report;
mod run;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use self::run::{Ends, Run, Scale};
use crate::LEASE;

/// How long the soak goes on, in minutes.
const MINUTES: &str = "FLEET_MINUTES";

/// Which faults the services meet; drawn where it is left out.
const SEED: &str = "FLEET_SEED";

fn named<T: std::str::FromStr>(variable: &str) -> Option<T> {
    let named = std::env::var(variable).ok()?;
    let number = named.parse().ok();
    assert!(number.is_some(), "{variable} is '{named}', and no number");
    number
}

fn seed() -> u64 {
    named(SEED).unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |now| u64::from(now.subsec_nanos()))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn splits_merges_a_kill_a_freeze_and_a_stop_under_load_lose_nothing_and_keep_the_order() {
    let scale = Scale {
        name: "mixed",
        shards: 8,
        instances: 2,
        keys: 32,
        every: Duration::from_millis(200),
        lease: LEASE,
        checkpoint_interval: Duration::from_millis(200),
        poll_interval: Duration::from_millis(500),
        ends: Ends::AfterRounds(1),
        seed: seed(),
    };
    Run::of(scale).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs for minutes: just soak"]
async fn soak() {
    let minutes = named(MINUTES).unwrap_or(10.0);
    let scale = Scale {
        name: "soak",
        shards: 32,
        instances: 5,
        keys: 64,
        every: Duration::from_secs(1),
        lease: 2 * LEASE,
        checkpoint_interval: Duration::from_millis(500),
        poll_interval: Duration::from_secs(1),
        ends: Ends::After(Duration::from_secs_f64(minutes * 60.0)),
        seed: seed(),
    };
    Run::of(scale).await;
}

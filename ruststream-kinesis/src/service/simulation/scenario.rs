//! What a seed decides before anything happens.

use std::time::Duration;

use super::executor::{Executor, Micros, SECOND};
use crate::lease::LeaseTimings;

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what may happen, each by itself"
)]
pub(super) struct Scenario {
    pub(super) instances: usize,
    pub(super) shards: usize,
    pub(super) keys: usize,
    /// How long faults go on.
    pub(super) chaos: Micros,
    /// How often calls fail, from never.
    pub(super) weather: u64,
    /// How far the table's clock is ahead of the service's, in milliseconds.
    pub(super) table_skew: u64,
    /// Whether listings leave out shards now and then.
    pub(super) listing_gaps: bool,
    pub(super) timings: LeaseTimings,
    pub(super) poll_interval: Duration,
    pub(super) checkpoint_interval: Option<Duration>,
    /// Bytes the readers of one instance may have in memory.
    pub(super) budget: usize,
    pub(super) max_leases: usize,
    /// Deliveries one instance handles at a time, those of a key one after the other.
    pub(super) lanes: usize,
    /// Records of one read.
    pub(super) limit: usize,
    /// The pause between two records.
    pub(super) publish_every: Micros,
    pub(super) large_records: bool,
    pub(super) starts_at_horizon: bool,
    pub(super) seeks: bool,
    /// Whether records may be passed by: seeks go forward, and the retention overtakes readers.
    pub(super) skips: bool,
    pub(super) reshards: bool,
    /// Thousandths of the deliveries that are left unhandled.
    pub(super) left: u64,
}

impl Scenario {
    pub(super) fn drawn(dice: &Executor) -> Self {
        let pick = |of: &[u64]| of[usize::try_from(dice.below(of.len() as u64)).expect("small")];
        let size = |low, high| usize::try_from(dice.within(low, high)).expect("small");
        let instances = size(1, 4);
        let quick = dice.chance(300);
        let timings = if quick {
            LeaseTimings::builder()
                .lease_ttl(Duration::from_secs(4))
                .renew_every(Duration::from_millis(1_200))
                .build()
        } else {
            LeaseTimings::default()
        };
        Self {
            instances,
            shards: size(1, 5),
            keys: size(2, 9),
            chaos: dice.within(15, 45) * SECOND,
            weather: pick(&[0, 1, 3, 10]),
            table_skew: dice.below(30_000),
            listing_gaps: dice.chance(400),
            timings,
            poll_interval: Duration::from_millis(pick(&[250, 1_000, 2_000])),
            checkpoint_interval: dice.chance(250).then_some(Duration::from_secs(2)),
            budget: size(1, 5) * 32 * 1024 * 1024,
            // Enough for all of them together.
            max_leases: if instances > 2 && dice.chance(200) {
                6
            } else {
                usize::MAX
            },
            lanes: size(1, 4),
            limit: pick(&[4, 10, 10_000]).try_into().expect("small"),
            publish_every: pick(&[100, 250, 700]) * 1_000,
            large_records: dice.chance(100),
            starts_at_horizon: dice.chance(60),
            seeks: dice.chance(350),
            skips: dice.chance(250),
            reshards: dice.chance(700),
            left: if dice.chance(300) { 30 } else { 0 },
        }
    }
}

//! What a simulation made happen: one in which nothing happens proves nothing.

use std::ops::AddAssign;

macro_rules! counts {
    ($($name:ident: $floor:literal,)*) => {
        /// How often each thing happened.
        #[derive(Debug, Default, Clone, PartialEq, Eq)]
        pub(super) struct Counts {
            $(pub(super) $name: u64,)*
        }

        impl AddAssign<&Self> for Counts {
            fn add_assign(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }

        impl Counts {
            /// What happened less often than a thousand seeds are to make it happen.
            pub(super) fn short_of_floors(&self, seeds: u64) -> Vec<String> {
                let mut short = Vec::new();
                $(
                    let floor = $floor * seeds / 1_000;
                    if self.$name < floor {
                        short.push(format!("{}: {} of {floor}", stringify!($name), self.$name));
                    }
                )*
                short
            }
        }
    };
}

// Each with how often it happens at least in a thousand seeds, which is half of what is usual.
counts! {
    records: 100_000,
    deliveries: 100_000,
    redeliveries: 12_000,
    checkpoints: 60_000,
    crashes: 800,
    freezes: 1_000,
    stops: 700,
    fences: 400,
    leases_run_out: 350,
    takeovers: 1_500,
    handed_over: 600,
    splits: 1_200,
    merges: 550,
    shards_ended: 2_500,
    aged_out: 350,
    trims: 500,
    horizon_restarts: 200,
    expired_iterators: 200,
    throttled_reads: 900,
    stale_listings: 500,
    listings_with_gaps: 100,
    lost_replies: 1_500,
    delayed_calls: 250,
    contended_writes: 200,
    outages: 650,
    cut_off: 350,
    seeks: 350,
    seeks_refused: 70,
    parked: 90,
    stale_deliveries: 350,
    left_unhandled: 350,
    positions_kept: 650,
    lower_checkpoints: 350,
    budget_waits: 6_000,
}

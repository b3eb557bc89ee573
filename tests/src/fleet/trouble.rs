//! Faults at both services, at random.

use std::sync::{Arc, Mutex, PoisonError};

use kinesis_stack::{Call, Fault, Faults, On, Rule};

use super::Fleet;

/// Which of an instance's calls meet each fault: one in so many.
const ONE_IN: u64 = 150;

const FAULTS: [Fault; 5] = [
    Fault::Throttle,
    Fault::ErrorBefore,
    Fault::ErrorAfter,
    Fault::DropBefore,
    Fault::DropAfter,
];

/// The faults that calls of the instances meet.
#[derive(Debug, Clone)]
pub struct Trouble(Vec<Rule>);

impl Trouble {
    /// Begins; `seed` decides which calls meet which fault, in the order the calls come.
    #[must_use]
    pub fn start(fleet: &Fleet, seed: u64) -> Self {
        let mut rules = Vec::new();
        rules.extend(faults(fleet.live().stack().faults(), seed, of_kinesis));
        rules.extend(faults(fleet.dynamo().faults(), !seed, of_dynamo));
        Self(rules)
    }

    /// How many calls met a fault.
    #[must_use]
    pub fn met(&self) -> usize {
        self.0.iter().map(Rule::hits).sum()
    }
}

fn faults(script: &Faults, seed: u64, of_instances: fn(&Call) -> bool) -> Vec<Rule> {
    let dice = Arc::new(Mutex::new(Dice(seed)));
    let rules = FAULTS.into_iter().map(|fault| {
        let dice = Arc::clone(&dice);
        let strikes = move |call: &Call| {
            let mut dice = dice.lock().unwrap_or_else(PoisonError::into_inner);
            of_instances(call) && dice.roll().is_multiple_of(ONE_IN)
        };
        script.always(On::any().when(strikes), fault)
    });
    rules.collect()
}

/// The load's and the test's own calls are left alone: of the two, an instance's listings name the
/// size of their pages.
fn of_kinesis(call: &Call) -> bool {
    match &*call.operation {
        "GetRecords" | "GetShardIterator" => true,
        "ListShards" => !call.request["MaxResults"].is_null(),
        _ => false,
    }
}

fn of_dynamo(call: &Call) -> bool {
    ["BatchGetItem", "GetItem", "UpdateItem"].contains(&&*call.operation)
}

/// `SplitMix64`.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

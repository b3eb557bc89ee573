//! A machine that tries to break the promises: a deterministic simulation of several instances, the
//! service and the lease table, on one thread and by one seed.
//!
//! The decisions are the real ones, those of `rules/`; so are the bookkeeping of a shard and the
//! memory budget. The rest of the shell is imitated, function by function and lock by lock; each
//! file here names the one of `service/` it stands for. A difference between the two is a defect of
//! the simulation.
//!
//! ```text
//!  nemesis ──► host ─► coordinator ─► reader, keeper, handlers     (as many as the seed says)
//!     │          │          └── rules/
//!     ▼          ▼ calls that fail, are late, or land though nobody waits for them
//!   world: stream, table ──► oracle: what a user would see
//! ```
//!
//! `SIM_SEED=n cargo test -p ruststream-kinesis --lib simulation` runs one seed alone.

mod coordinator;
mod counts;
mod ending;
mod executor;
mod host;
mod kinesis;
mod lease;
mod nemesis;
mod oracle;
mod page;
mod reader;
mod reposition;
mod scenario;
mod settlement;
mod shard;
mod sharing;
mod sleep;
mod stop;
mod store;
mod stream;
mod subscription;
mod table;
mod take;
mod taking;
mod tests;
mod world;
mod writes;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use counts::Counts;
use executor::{Micros, SECOND, WORLD};
use world::World;

/// More steps than any seed takes: a simulation that goes in circles is one that failed.
const MOST_STEPS: u64 = 2_000_000;

/// What came of one seed.
struct Outcome {
    violation: Option<String>,
    trace: String,
    counts: Counts,
    steps: u64,
    /// How long after the last fault everything was as it should be.
    converged: Micros,
    /// The longest that a shard then went unread.
    unread: Micros,
}

/// Runs the seed to its end, or to the first broken promise.
fn simulate(seed: u64, epoch: Instant, recording: bool) -> Outcome {
    let world = World::new(seed, epoch, recording);
    world.tell(|| format!("{:?}", world.scenario));
    let converged = Rc::new(Cell::new(0));
    let unread = Rc::new(Cell::new(0));
    world.executor.spawn(WORLD, {
        let (world, converged) = (Rc::clone(&world), Rc::clone(&converged));
        let unread = Rc::clone(&unread);
        async move {
            for instance in 0..world.scenario.instances {
                let supervised = nemesis::supervise(Rc::clone(&world), instance);
                world.executor.spawn(WORLD, supervised);
            }
            let over = world.scenario.chaos;
            let published = nemesis::publish(Rc::clone(&world), over + 5 * SECOND);
            world.executor.spawn(WORLD, published);
            nemesis::harm(Rc::clone(&world), over).await;
            world.quiet.set(true);
            let landed = world.now() + ending::LANDED_WITHIN;
            world
                .executor
                .spawn(WORLD, ending::cover(Rc::clone(&world), unread));
            nemesis::calm(&world).await;
            if world.scenario.seeks {
                nemesis::seek_at_last(&world);
            }
            converged.set(ending::converge(&world, landed).await);
            ending::rest(&world).await;
            world.finished.set(true);
        }
    });
    while !world.finished.get() && world.violation().is_none() {
        if !world.executor.step() {
            world.broken(|| "nothing is left to happen".to_owned());
        }
        if world.executor.steps.get() > MOST_STEPS {
            world.broken(|| format!("no end after {MOST_STEPS} steps"));
        }
    }
    let outcome = Outcome {
        violation: world.violation(),
        trace: world.trace(),
        counts: world.counts.borrow().clone(),
        steps: world.executor.steps.get(),
        converged: converged.get(),
        unread: unread.get(),
    };
    world.hosts.borrow_mut().clear();
    world.executor.end();
    outcome
}

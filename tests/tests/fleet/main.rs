//! Several instances of one service on one lease table, each a process of its own.

mod balance;
mod checks;
mod crashes;
mod long_work;
mod mixed;
mod positions;
mod stops;

use std::time::Duration;

use tests::fleet::{Fleet, Ledger};

/// How long the instances' leases last.
const LEASE: Duration = Duration::from_secs(3);

/// What a released or expired lease may wait for its next owner.
const PICK_UP: Duration = Duration::from_secs(2);

/// How often a load that goes on writes a record of each key: a sequential handler keeps up with it.
const EVERY: Duration = Duration::from_millis(200);

/// A fleet on a stream of that many shards.
async fn fleet(shards: i32) -> Fleet {
    Fleet::start(env!("CARGO_BIN_EXE_instance"), shards).await
}

/// The shards the instance of that name holds.
fn held_by(ledger: &Ledger, owner_id: &str) -> Vec<String> {
    let held = ledger.held().into_iter();
    held.filter(|(owner, _)| is(owner, owner_id))
        .flat_map(|(_, shards)| shards)
        .collect()
}

/// Whether the owner string is one of the instance of that name.
fn is(owner: &str, owner_id: &str) -> bool {
    owner
        .rsplit_once('/')
        .is_some_and(|(name, _)| name == owner_id)
}

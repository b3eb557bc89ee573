//! What must be true once faults are over.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::executor::{MILLI, Micros, SECOND};
use super::host::Host;
use super::stream::{RecordId, record_of};
use super::world::World;

/// How long the instances may take, once every fault is over and each was restarted, until every
/// shard is read, every record handled and every share even.
pub(super) const CONVERGED_WITHIN: Micros = 45 * SECOND;

/// How long a shard that could be read may go unread from the moment faults are over: a lease of an
/// instance that died just before expires, and every instance restarts in between. What a call that
/// never answers holds up, its timeout frees.
const COVERED_WITHIN: Micros = 25 * SECOND;

/// Within that time each instance has looked at the leases and the members again.
const SEEN_BY_ALL: Micros = 5 * SECOND;

/// When the latest call of before has landed, and a member that it tells of is known to be gone.
pub(super) const LANDED_WITHIN: Micros = 24 * SECOND;

/// How long nothing moves then.
const AT_REST: Micros = 12 * SECOND;

/// Waits until everything is as it should be and has been for a while, at least until the last call
/// `landed`, and answers how long that took.
pub(super) async fn converge(world: &Rc<World>, landed: Micros) -> Micros {
    let began = world.now();
    let mut since = None;
    // Every run of an instance replays what is over, generation by generation.
    let within = if world.scenario.starts_at_horizon {
        3 * CONVERGED_WITHIN
    } else {
        CONVERGED_WITHIN
    };
    loop {
        let now = world.now();
        match as_it_should_be(world) {
            Ok(()) if now > landed && since.is_some_and(|since| since + SEEN_BY_ALL <= now) => {
                break;
            }
            Ok(()) => {
                since.get_or_insert(now);
            }
            Err(missing) if now > began + within => {
                world.broken(|| format!("long after the last fault, {missing}"));
                break;
            }
            Err(_) => since = None,
        }
        world.executor.pass(250 * MILLI).await;
    }
    since.unwrap_or(world.now()) - began
}

/// Watches that nothing moves any more.
pub(super) async fn rest(world: &Rc<World>) {
    let moves = world.oracle.borrow().moves;
    world.executor.pass(AT_REST).await;
    if world.oracle.borrow().moves != moves && !world.scenario.starts_at_horizon {
        world.broken(|| "a shard moved though nothing had changed".to_owned());
    }
    if world.scenario.starts_at_horizon {
        return;
    }
    if let Err(missing) = as_it_should_be(world).and_then(|()| all_is_stored(world)) {
        world.broken(|| format!("after a rest, {missing}"));
    }
}

/// Whether the rows say of every shard that everything handled of it is handled.
fn all_is_stored(world: &World) -> Result<(), String> {
    let (stream, oracle, table) = (
        world.stream.borrow(),
        world.oracle.borrow(),
        world.table.borrow(),
    );
    for shard in stream.shards.iter().filter(|shard| shard.closed.is_none()) {
        let handled = |record: &&RecordId| oracle.records[**record].settled.is_some();
        let row = table.row(&shard.id);
        if row.is_some_and(|row| row.cursor.is_some()) {
            // Moved to where nothing came since.
            continue;
        }
        let checkpoint = row.and_then(|row| row.checkpoint.as_deref()).map(record_of);
        if checkpoint < shard.records.iter().rfind(handled).copied() {
            let id = &shard.id;
            return Err(format!("the checkpoint of {id} stays at {checkpoint:?}"));
        }
    }
    Ok(())
}

/// Watches that no shard that could be read goes unread for long; answers how long the longest went.
pub(super) async fn cover(world: Rc<World>, longest: Rc<Cell<Micros>>) {
    let mut unread = BTreeMap::new();
    while !world.finished.get() {
        let now = world.now();
        let without = ready_without_reader(&world);
        unread.retain(|shard, _| without.contains(shard));
        for shard in without {
            let since = *unread.entry(shard).or_insert(now);
            longest.set(longest.get().max(now - since));
            if now - since > COVERED_WITHIN && !world.scenario.starts_at_horizon {
                world.broken(|| format!("shard number {shard} is read by nobody"));
            }
        }
        world.executor.pass(SECOND).await;
    }
}

/// The shards that are not over, whose parents are, and that nobody reads.
fn ready_without_reader(world: &World) -> Vec<usize> {
    let readers = readers(world);
    let (stream, oracle, table) = (
        world.stream.borrow(),
        world.oracle.borrow(),
        world.table.borrow(),
    );
    let over = |shard: usize| {
        // Progress of a child tells that its parents were over before.
        let children = stream.shards.iter();
        let implied = children
            .filter(|child| child.parents.contains(&shard))
            .any(|child| {
                table
                    .row(&child.id)
                    .is_some_and(|row| row.checkpoint.is_some())
            });
        implied || oracle.ended.contains(&shard) || stream.shards[shard].aged_out.is_some()
    };
    (0..stream.shards.len())
        .filter(|shard| !readers.contains_key(shard) && !over(*shard))
        .filter(|shard| stream.shards[*shard].parents.iter().all(|p| over(*p)))
        .collect()
}

/// Who reads each shard that is read.
fn readers(world: &World) -> BTreeMap<usize, Vec<String>> {
    let stream = world.stream.borrow();
    let mut readers: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for host in world.hosts.borrow().iter().flatten() {
        for shard in &*host.shown.borrow() {
            if !shard.is_given_up() && !shard.is_stopping() {
                let of = readers.entry(stream.index(&shard.id)).or_default();
                of.push(host.owner.to_string());
            }
        }
    }
    readers
}

fn as_it_should_be(world: &Rc<World>) -> Result<(), String> {
    let readers = readers(world);
    let stream = world.stream.borrow();
    let oracle = world.oracle.borrow();
    for (index, shard) in stream.shards.iter().enumerate() {
        let by = readers.get(&index).map_or(&[][..], Vec::as_slice);
        if by.len() > 1 {
            return Err(format!("{} is read by {by:?}", shard.id));
        }
        if shard.closed.is_some() {
            if !by.is_empty() {
                return Err(format!("{} is closed and read by {by:?}", shard.id));
            }
            continue;
        }
        let holder = world.holder(&shard.id);
        if by.is_empty() || holder.as_ref() != by.first() {
            return Err(format!("{} of {holder:?} is read by {by:?}", shard.id));
        }
    }
    let owed = oracle.all_owed();
    if let Some(record) = owed.first() {
        let shard = &stream.shards[stream.log[*record].shard].id;
        return Err(format!(
            "record {record} of {shard}, and {} more, were not handled",
            owed.len() - 1
        ));
    }
    let hosts = world.hosts.borrow();
    if hosts.iter().any(Option::is_none) {
        return Err("an instance does not run".to_owned());
    }
    // Who replays what the others are done with has a share that they do not see.
    if world.scenario.starts_at_horizon {
        return Ok(());
    }
    let load = |host: &Rc<Host>| {
        let mine = |by: &&Vec<String>| by.contains(&host.owner.to_string());
        readers.values().filter(mine).count()
    };
    let loads: Vec<_> = hosts.iter().flatten().map(load).collect();
    let (least, most) = (loads.iter().min(), loads.iter().max());
    if most > least.map(|least| least + 1).as_ref() {
        return Err(format!("the shares are {loads:?}"));
    }
    Ok(())
}

//! What goes wrong, and when it stops going wrong.

use std::rc::Rc;
use std::time::Duration;

use super::executor::{MILLI, Micros, SECOND, WORLD};
use super::host::Host;
use super::reposition::Position;
use super::stop::{Stop, stop_at_least};
use super::stream::sequence_of;
use super::subscription;
use super::world::{Server, World};

/// How many shards a stream has at most, closed ones among them.
const MOST_SHARDS: usize = 16;

/// Keeps instance number `instance` running.
pub(super) async fn supervise(world: Rc<World>, instance: usize) {
    if instance > 0 {
        let joins = world.executor.below(world.scenario.chaos);
        world.executor.pass(joins).await;
    }
    while !world.finished.get() {
        let host = subscription::start(&world, instance);
        let death = world.executor.death(host.process);
        world.hosts.borrow_mut()[instance] = Some(Rc::clone(&host));
        death.notified().await;
        world.hosts.borrow_mut()[instance] = None;
        world.count(|counts| counts.crashes += u64::from(!host.exited.get()));
        let longest = if world.quiet.get() {
            SECOND
        } else {
            6 * SECOND
        };
        let pause = world.executor.within(100 * MILLI, longest);
        world.executor.pass(pause).await;
    }
}

/// Publishes until `over`.
pub(super) async fn publish(world: Rc<World>, over: Micros) {
    while world.now() < over {
        let dice = &world.executor;
        let pause = dice.below(world.scenario.publish_every * 2);
        dice.pass(pause).await;
        let key = usize::try_from(dice.below(world.scenario.keys as u64)).expect("small");
        let bytes = if world.scenario.large_records && dice.chance(200) {
            dice.within(100_000, 1_000_000)
        } else {
            dice.within(10, 30_000)
        };
        let now = world.service_time();
        let mut stream = world.stream.borrow_mut();
        let record = stream.put(key, bytes, now);
        world.count(|counts| counts.records += 1);
        let mut oracle = world.oracle.borrow_mut();
        oracle.published(&stream, record, world.now());
        let id = &stream.shards[stream.log[record].shard].id;
        world.tell(|| format!("record {record} of key {key} in {id}"));
    }
}

/// Does harm until `over`.
pub(super) async fn harm(world: Rc<World>, over: Micros) {
    world.executor.pass(2 * SECOND).await;
    while world.now() < over {
        let pause = world.executor.within(100 * MILLI, 2_500 * MILLI);
        world.executor.pass(pause).await;
        strike(&world, over);
    }
}

fn strike(world: &Rc<World>, over: Micros) {
    let dice = &world.executor;
    let scenario = &world.scenario;
    let hosts = world.hosts.borrow();
    let any = usize::try_from(dice.below(hosts.len() as u64)).expect("small");
    let host = hosts[any].clone();
    drop(hosts);
    match (dice.below(100), host) {
        (0..8, Some(host)) => {
            host.tell(|| "crashes".to_owned());
            dice.kill(host.process);
        }
        (8..22, Some(host)) => {
            let steps = u32::try_from(dice.below(400)).expect("small");
            host.tell(|| format!("is to crash in {steps} steps"));
            dice.set_fuse(host.process, Some(steps));
        }
        (22..36, Some(host)) => freeze(world, &host),
        (36..46, Some(host)) => {
            world.count(|counts| counts.stops += 1);
            let shutdown = dice.chance(500);
            host.tell(|| format!("is told to stop, shutdown: {shutdown}"));
            let stop = if shutdown {
                Stop::Shutdown
            } else {
                Stop::Drain
            };
            stop_at_least(&host.stop, stop);
        }
        (46..70, _) if scenario.reshards => reshard(world),
        (70..76, _) => trim(world),
        (76..82, _) => {
            let out = world.now() + dice.within(SECOND, 6 * SECOND);
            let table = dice.chance(500);
            let server = if table {
                &world.table_out
            } else {
                &world.kinesis_out
            };
            server.set(out.min(over));
            world.count(|counts| counts.outages += 1);
            world.tell(|| format!("outage, table: {table}"));
        }
        (82..87, Some(host)) => {
            let server = if dice.chance(700) {
                Server::Table
            } else {
                Server::Kinesis
            };
            let until = world.now() + dice.within(2 * SECOND, 25 * SECOND);
            world.count(|counts| counts.cut_off += 1);
            host.tell(|| format!("is cut off from {server:?}"));
            let mut cut_off = world.cut_off.borrow_mut();
            cut_off.insert((host.process, server), until);
        }
        (87..100, Some(host)) if scenario.seeks => {
            seek(&host, position(world, &host));
            if dice.chance(200) {
                // Into the replay of the one before.
                seek(&host, position(world, &host));
            }
            if dice.chance(300) {
                let steps = u32::try_from(dice.within(5, 80)).expect("small");
                host.tell(|| format!("is to crash in {steps} steps"));
                dice.set_fuse(host.process, Some(steps));
            }
        }
        _ => {}
    }
}

fn freeze(world: &Rc<World>, host: &Rc<Host>) {
    let dice = &world.executor;
    let (process, clock_stands) = (host.process, dice.chance(400));
    let pause = dice.within(200 * MILLI, 16 * SECOND);
    world.count(|counts| counts.freezes += 1);
    host.tell(|| format!("freezes for {pause}, its clock too: {clock_stands}"));
    dice.freeze(process, clock_stands);
    let world = Rc::clone(world);
    dice.spawn(WORLD, {
        async move {
            world.executor.pass(pause).await;
            world.executor.thaw(process);
            world.tell(|| format!("process {process} thaws"));
        }
    });
}

fn reshard(world: &World) {
    let dice = &world.executor;
    let now = world.service_time();
    let mut stream = world.stream.borrow_mut();
    if stream.shards.len() >= MOST_SHARDS {
        return;
    }
    let open = stream.open_shards();
    let shard = open[usize::try_from(dice.below(open.len() as u64)).expect("small")];
    let neighbour = stream.neighbour(shard).filter(|_| dice.chance(500));
    if let Some(neighbour) = neighbour {
        stream.merge(shard, neighbour, now);
        world.count(|counts| counts.merges += 1);
        world.tell(|| format!("{shard} and {neighbour} merge"));
    } else if stream.split(shard, now) {
        world.count(|counts| counts.splits += 1);
        world.tell(|| format!("{shard} splits"));
    }
}

/// Lets the retention pass what is old, and shards with nothing left. It passes what nobody read only
/// where records may be passed by.
fn trim(world: &World) {
    let dice = &world.executor;
    let mut stream = world.stream.borrow_mut();
    let mut oracle = world.oracle.borrow_mut();
    let old = world.service_time().saturating_sub(4_000);
    let mut horizon = dice.within(stream.horizon, old.max(stream.horizon + 1));
    if !world.scenario.skips {
        let owed = oracle.all_owed();
        let oldest = owed.first().map(|record| stream.log[*record].arrived);
        horizon = oldest.map_or(horizon, |oldest| horizon.min(oldest));
    }
    if horizon <= stream.horizon {
        return;
    }
    let (trimmed, aged_out) = stream.trim(horizon, world.service_time());
    world.count(|counts| {
        counts.trims += u64::from(!trimmed.is_empty());
        counts.aged_out += aged_out;
    });
    world.tell(|| format!("trimmed: {trimmed:?}; shards aged out: {aged_out}"));
    oracle.trimmed(&trimmed);
    oracle.aged_out(&stream);
}

fn seek(host: &Rc<Host>, position: Position) {
    host.tell(|| format!("seeks {position:?}"));
    let host = Rc::clone(host);
    host.clone().spawn(async move {
        let sought = host.timeout(Duration::from_mins(1), host.seek(position));
        let moved = matches!(sought.await, Some(Ok(())));
        host.tell(|| format!("has sought: {moved}"));
        host.world.count(|counts| {
            if moved {
                counts.seeks += 1;
            } else {
                counts.seeks_refused += 1;
            }
        });
    });
}

fn position(world: &World, host: &Host) -> Position {
    let dice = &world.executor;
    let stream = world.stream.borrow();
    let now = world.service_time();
    let roll = dice.below(100);
    if world.scenario.skips && roll < 50 {
        return if roll < 25 {
            Position::Latest
        } else {
            Position::Timestamp(dice.within(now - 10_000, now))
        };
    }
    let oracle = world.oracle.borrow();
    let owed = oracle.all_owed();
    if roll < 65 {
        return Position::Horizon;
    }
    if roll < 85 {
        let oldest = owed
            .first()
            .map_or(now, |record| stream.log[*record].arrived);
        return Position::Timestamp(oldest - dice.below(8_000));
    }
    drop(oracle);
    place_in_a_shard(world, host).unwrap_or(Position::Horizon)
}

/// A record of a shard that `host` reads, with nothing unread before it.
fn place_in_a_shard(world: &World, host: &Host) -> Option<Position> {
    let dice = &world.executor;
    let (stream, oracle) = (world.stream.borrow(), world.oracle.borrow());
    let owed = oracle.all_owed();
    let shown = host.shown.borrow();
    if shown.is_empty() {
        return None;
    }
    let shard = &shown[usize::try_from(dice.below(shown.len() as u64)).expect("small")];
    let held = &stream.shards[stream.index(&shard.id)];
    let first_owed = held.records.iter().position(|record| owed.contains(record));
    let last = first_owed.unwrap_or(held.records.len());
    let place = usize::try_from(dice.within(held.trimmed as u64, last as u64)).expect("small");
    let record = held.records.get(place)?;
    Some(Position::Sequence {
        shard: shard.id.clone(),
        sequence: sequence_of(*record),
    })
}

/// Now that faults are over: ends those under way, and has every instance restart in turn, so that what was left unhandled is
/// read again.
pub(super) async fn calm(world: &Rc<World>) {
    world.tell(|| "quiet".to_owned());
    let running: Vec<_> = world.hosts.borrow().iter().flatten().cloned().collect();
    for host in running {
        world.executor.thaw(host.process);
        world.executor.set_fuse(host.process, None);
    }
    for instance in 0..world.scenario.instances {
        let before = running_process(world, instance).await;
        let host = world.hosts.borrow()[instance].clone();
        if let Some(host) = host {
            host.tell(|| "restarts".to_owned());
            stop_at_least(&host.stop, Stop::Drain);
        }
        while running_process(world, instance).await == before {
            world.executor.pass(100 * MILLI).await;
        }
    }
}

/// Moves some shard once more while records still come.
pub(super) fn seek_at_last(world: &Rc<World>) {
    let hosts: Vec<_> = world.hosts.borrow().iter().flatten().cloned().collect();
    for host in &hosts {
        for _ in 0..2 {
            if let Some(position) = place_in_a_shard(world, host) {
                seek(host, position);
            }
        }
    }
}

/// The process of an instance, once it runs.
async fn running_process(world: &Rc<World>, instance: usize) -> usize {
    loop {
        let process = world.hosts.borrow()[instance]
            .as_ref()
            .map(|host| host.process);
        if let Some(process) = process {
            return process;
        }
        world.executor.pass(100 * MILLI).await;
    }
}

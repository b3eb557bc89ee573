//! One run of an instance: it opens its subscription, hands what it reads to its handlers, and
//! ends. Imitates `service::connection` and `service::subscription`, and the framework above.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::select;
use tokio::sync::{mpsc, watch};

use super::coordinator::Coordinator;
use super::executor::SECOND;
use super::host::Host;
use super::page::{Delivery, Page};
use super::reposition::{Command, Position};
use super::stop::{Stop, Stopping, stop_at_least, told};
use super::store::Store;
use super::world::World;
use crate::service::budget::Budget;

const OUTLET: usize = 256;

/// Starts an instance as a new process.
pub(super) fn start(world: &Rc<World>, instance: usize) -> Rc<Host> {
    let dice = &world.executor;
    // Two machines' clocks never count alike, and each counts from its own beginning.
    let drift = i64::try_from(dice.below(1_000)).expect("small") - 500;
    let process = dice.begin_process(drift, dice.below(1_000_000) * SECOND);
    let owner = format!("instance-{instance}/{process}");
    let (outlet, items) = mpsc::channel(OUTLET);
    let (commands, commanded) = mpsc::channel(1);
    let host = Rc::new(Host {
        world: Rc::clone(world),
        process,
        store: Store::new(Rc::clone(world), process, owner.clone().into()),
        owner: owner.into(),
        budget: Budget::new(world.scenario.budget),
        outlet,
        polled: watch::Sender::new(false),
        stop: Stopping::not_yet(),
        commands,
        opened_at: Cell::new(0),
        shown: RefCell::default(),
        exited: Cell::new(false),
        buffered: Cell::new(0),
    });
    host.tell(|| "starts".to_owned());
    host.spawn(run(Rc::clone(&host), items, commanded));
    host
}

async fn run(host: Rc<Host>, items: mpsc::Receiver<Page>, commands: mpsc::Receiver<Command>) {
    opened(&host, items, commands).await;
    host.tell(|| "exits".to_owned());
    host.exited.set(true);
    host.world.executor.kill(host.process);
}

async fn opened(
    host: &Rc<Host>,
    mut items: mpsc::Receiver<Page>,
    commands: mpsc::Receiver<Command>,
) {
    let Ok(at) = host.describe().await else {
        return;
    };
    host.opened_at.set(at);
    let mut coordinator = Coordinator::new(host, commands);
    if coordinator.open().await.is_err() {
        // A service whose subscription does not open does not start.
        stop_at_least(&host.stop, Stop::Drain);
        coordinator.run().await;
        return;
    }
    let running = watch::Sender::new(());
    let mut run = running.subscribe();
    host.spawn(async move {
        let _running = running;
        coordinator.run().await;
    });
    if host.world.scenario.starts_at_horizon {
        // A start position that is refused is a failed start; here it is read on without one.
        let _ = host.seek(Position::Horizon).await;
    }
    host.polled.send_replace(true);
    deliver(host, &mut items).await;
    // What is fetched is dropped with the subscription, and a shutdown that comes later hurries.
    drop(items);
    while run.changed().await.is_ok() {}
}

/// Hands records to the handlers until the subscription is dropped.
async fn deliver(host: &Rc<Host>, items: &mut mpsc::Receiver<Page>) {
    let lanes: Vec<_> = (0..host.world.scenario.lanes)
        .map(|_| {
            let (lane, deliveries) = mpsc::channel(1);
            host.spawn(handle(Rc::clone(host), deliveries));
            lane
        })
        .collect();
    let stop = host.stop.clone();
    loop {
        let mut page = select! {
            biased;
            () = told(&stop, Stop::Drain) => return,
            Some(page) = items.recv() => page,
        };
        while let Some(delivery) = page.next() {
            let lane = &lanes[delivery.key() % lanes.len()];
            // A lane ends with its process alone.
            let _ = lane.send(delivery).await;
        }
    }
}

/// Handles deliveries one after the other.
async fn handle(host: Rc<Host>, mut deliveries: mpsc::Receiver<Delivery>) {
    while let Some(delivery) = deliveries.recv().await {
        let world = &host.world;
        let dice = &world.executor;
        let takes = match dice.below(1_000) {
            _ if world.quiet.get() => dice.below(5),
            // Longer than a lease, and than a drain.
            0 | 1 => dice.within(2_000, 16_000),
            2..30 => dice.within(100, 2_000),
            _ => dice.below(20),
        };
        if takes > 0 {
            host.sleep(Duration::from_millis(takes)).await;
        }
        if !world.quiet.get() && dice.chance(world.scenario.left) {
            delivery.leave();
        } else {
            // An acknowledgement that is refused leaves a record that is read again.
            let _ = delivery.settle().await;
        }
    }
}

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::start;
use crate::rules::balance::{Balance, Scene, Sharer};
use crate::rules::shard_graph::ShardId;

const LOOK: Duration = Duration::from_secs(1);
const ANY: usize = usize::MAX;

fn sharer(owner: &str, most: usize) -> Sharer {
    Sharer {
        owner: owner.to_owned(),
        most,
    }
}

fn shards(count: usize) -> Vec<ShardId> {
    (0..count).map(|n| Arc::from(format!("s{n:04}"))).collect()
}

/// The scene of `a`, with the members `a`, `b`, `c` ..
fn scene(kept: usize, others: &[usize], free: usize) -> Scene {
    let names = ["b", "c", "d", "e", "f"];
    let mut sharers = vec![sharer("a", ANY)];
    let mut held = BTreeMap::new();
    for (name, leases) in names.iter().zip(others) {
        sharers.push(sharer(name, ANY));
        held.insert((*name).to_owned(), *leases);
    }
    Scene {
        sharers,
        held,
        kept,
        leaving: 0,
        parked: 0,
        free: shards(free),
    }
}

#[test]
fn two_hundred_free_shards_are_taken_in_one_round_by_a_single_instance() {
    let mut balance = Balance::new("a", ANY);
    assert_eq!(balance.take(&scene(0, &[], 200), start()).len(), 200);
}

#[test]
fn where_the_store_names_no_members_every_free_shard_is_taken() {
    let mut scene = scene(3, &[], 7);
    scene.sharers.clear();
    let mut balance = Balance::new("a", ANY);
    assert_eq!(balance.take(&scene, start()).len(), 7);
    assert_eq!(balance.surplus(&scene, start()), 0);
}

#[test]
fn an_instance_takes_its_share_of_the_free_shards_at_once_and_what_is_left_over_later() {
    let mut balance = Balance::new("a", ANY);
    let scene = scene(0, &[0], 8);
    let now = start();
    assert_eq!(balance.take(&scene, now).len(), 4);
    assert_eq!(balance.take(&scene, now + LOOK).len(), 4);
    assert_eq!(balance.take(&scene, now + LOOK * 2).len(), 8);
}

#[test]
fn a_sixth_instance_gets_its_share_from_all_the_others() {
    let mut balance = Balance::new("a", ANY);
    // Forty shards of six: four have seven, the rest six. Those that have eight give up one or two.
    assert_eq!(balance.surplus(&scene(8, &[8, 8, 8, 8, 0], 0), start()), 1);
    assert_eq!(balance.surplus(&scene(0, &[8, 8, 8, 8, 8], 0), start()), 0);
}

#[test]
fn nothing_is_given_up_while_nobody_lacks_anything() {
    let mut balance = Balance::new("a", ANY);
    assert_eq!(balance.surplus(&scene(2, &[1, 1], 0), start()), 0);
    // What they lack is free already, or on its way.
    assert_eq!(balance.surplus(&scene(4, &[0], 4), start()), 0);
    let mut leaving = scene(4, &[0], 0);
    leaving.leaving = 4;
    assert_eq!(balance.surplus(&leaving, start()), 0);
}

#[test]
fn shards_of_owners_that_are_no_members_are_left_to_them() {
    let mut scene = scene(2, &[], 0);
    scene.held.insert("stranger".to_owned(), 10);
    let mut balance = Balance::new("a", ANY);
    assert_eq!(balance.surplus(&scene, start()), 0);
}

#[test]
fn an_instance_takes_no_more_than_its_most_even_of_what_is_left_over() {
    let mut scene = scene(1, &[], 8);
    scene.sharers[0].most = 3;
    let mut balance = Balance::new("a", 3);
    let now = start();
    assert_eq!(balance.take(&scene, now).len(), 2);
    assert_eq!(balance.take(&scene, now + LOOK * 9).len(), 2);
}

#[test]
fn who_may_take_more_takes_what_a_bounded_one_leaves() {
    let mut scene = scene(0, &[0, 0], 12);
    scene.sharers[1].most = 2;
    let mut balance = Balance::new("a", ANY);
    assert_eq!(balance.take(&scene, start()).len(), 5);
}

#[test]
fn a_shard_that_was_given_up_in_vain_comes_back_and_is_not_given_up_again() {
    let mut balance = Balance::new("a", ANY);
    let now = start();
    let crowded = scene(4, &[0], 0);
    assert_eq!(balance.surplus(&crowded, start()), 2);
    let given = shards(2);
    for shard in &given {
        balance.gave(shard, now);
    }
    let waiting = scene(2, &[0], 2);
    assert_eq!(balance.take(&waiting, now + LOOK * 9), []);
    let back = balance.take(&waiting, now + LOOK * 10);
    assert_eq!(back.len(), 2);
    for shard in &back {
        balance.took(shard);
    }
    assert_eq!(balance.surplus(&crowded, start()), 0);
    // Another member is another matter.
    assert_eq!(balance.surplus(&scene(4, &[0, 0], 0), start()), 2);
}

#[test]
fn a_shard_another_took_and_hands_on_is_not_taken_back() {
    let mut balance = Balance::new("a", ANY);
    let now = start();
    let given = shards(1);
    balance.gave(&given[0], now);
    balance.no_longer_free(&given[0]);
    // Much later its owner hands it to a third one.
    let handed_on = scene(2, &[1, 2], 1);
    assert_eq!(balance.take(&handed_on, now + LOOK * 60), []);
    assert_eq!(balance.surplus(&handed_on, start()), 0);
}

#[test]
fn a_shard_that_came_back_from_other_members_may_be_given_up_again() {
    let mut balance = Balance::new("a", ANY);
    let now = start();
    // One of the two is gone, which nobody knows yet: what it lacks, nobody takes.
    assert_eq!(balance.surplus(&scene(3, &[1, 0], 0), now), 1);
    let given = shards(1);
    balance.gave(&given[0], now);
    let back = balance.take(&scene(2, &[1], 1), now + LOOK * 10);
    assert_eq!(back, given);
    balance.took(&back[0]);
    assert_eq!(balance.surplus(&scene(3, &[1], 0), now), 1);
}

#[test]
fn a_shard_that_is_needed_here_again_was_not_given_up_in_vain() {
    let mut balance = Balance::new("a", ANY);
    let now = start();
    assert_eq!(balance.surplus(&scene(2, &[0], 0), now), 1);
    let given = shards(1);
    balance.gave(&given[0], now);
    // What was kept came to its end.
    assert_eq!(balance.take(&scene(0, &[0], 1), now + LOOK), given);
    balance.took(&given[0]);
    assert_eq!(balance.surplus(&scene(2, &[0], 0), now + LOOK), 1);
}

/// Instances on one table, each of which looks at it when its turn comes.
struct Table {
    owners: BTreeMap<ShardId, Option<usize>>,
    instances: Vec<(Balance, Sharer)>,
    /// How many of the instances have come.
    present: usize,
    moves: usize,
}

impl Table {
    fn scene(&self, me: usize) -> Scene {
        let mut scene = Scene {
            sharers: self.instances[..self.present]
                .iter()
                .map(|(_, sharer)| sharer.clone())
                .collect(),
            ..Scene::default()
        };
        for (shard, owner) in &self.owners {
            match owner {
                None => scene.free.push(Arc::clone(shard)),
                Some(owner) if *owner == me => scene.kept += 1,
                Some(owner) => {
                    let name = self.instances[*owner].1.owner.clone();
                    *scene.held.entry(name).or_default() += 1;
                }
            }
        }
        scene
    }

    fn turn(&mut self, me: usize, now: Instant) {
        for (shard, owner) in &self.owners {
            if owner.is_some_and(|owner| owner != me) {
                self.instances[me].0.no_longer_free(shard);
            }
        }
        let scene = self.scene(me);
        let taken = self.instances[me].0.take(&scene, now);
        for shard in taken {
            self.instances[me].0.took(&shard);
            self.owners.insert(shard, Some(me));
            self.moves += 1;
        }
        let scene = self.scene(me);
        let surplus = self.instances[me].0.surplus(&scene, now);
        let mine = self
            .owners
            .iter_mut()
            .filter(|(_, owner)| **owner == Some(me));
        for (shard, owner) in mine.take(surplus) {
            *owner = None;
            self.instances[me].0.gave(shard, now);
        }
    }

    fn held(&self, me: usize) -> usize {
        self.owners
            .values()
            .filter(|owner| **owner == Some(me))
            .count()
    }
}

proptest! {
    #[test]
    fn whatever_the_order_of_turns_every_shard_is_read_and_the_shares_are_even(
        most in prop::collection::vec(prop_oneof![3 => Just(ANY), 1 => 1_usize..6], 1..7),
        count in 0_usize..60,
        before in prop::collection::vec(0_usize..7, 60),
        turns in prop::collection::vec(0_usize..7, 0..40),
    ) {
        let instances: Vec<_> = most
            .iter()
            .enumerate()
            .map(|(n, most)| {
                let name = format!("i{n}");
                (Balance::new(&name, *most), sharer(&name, *most))
            })
            .collect();
        let members = instances.len();
        let mut table = Table {
            owners: shards(count)
                .into_iter()
                .zip(before)
                .map(|(shard, owner)| (shard, (owner < members).then_some(owner)))
                .collect(),
            instances,
            present: members,
            moves: 0,
        };
        let mut now = start();
        // Any order at first, then each in turn.
        let orderly = (0..12).flat_map(|_| 0..members);
        for me in turns.into_iter().map(|n| n % members).chain(orderly) {
            now += LOOK / u32::try_from(members).expect("a few");
            table.turn(me, now);
        }
        let capacity = most.iter().fold(0_usize, |sum, most| sum.saturating_add(*most));
        let held: Vec<_> = (0..members).map(|me| table.held(me)).collect();
        prop_assert_eq!(held.iter().sum::<usize>(), count.min(capacity.max(held.iter().sum())));
        // Nobody has two more than one that would take another.
        let least = held.iter().zip(&most).filter(|(held, most)| held < most).map(|(held, _)| *held).min();
        if let Some(least) = least {
            prop_assert!(held.iter().all(|held| *held <= least + 1), "{:?} of {:?}", held, most);
        }
        // And then nothing moves any more.
        let moved = table.moves;
        for me in (0..5).flat_map(|_| 0..members) {
            now += LOOK;
            table.turn(me, now);
        }
        prop_assert_eq!(table.moves, moved);
    }

    #[test]
    fn of_instances_that_come_one_after_the_other_each_gets_its_share(
        count in 0_usize..40,
        members in 1_usize..7,
        looks in prop::collection::vec(3_u32..40, 7),
    ) {
        let mut table = Table {
            owners: shards(count).into_iter().map(|shard| (shard, None)).collect(),
            instances: (0..members)
                .map(|n| (Balance::new(&format!("i{n}"), ANY), sharer(&format!("i{n}"), ANY)))
                .collect(),
            present: 0,
            moves: 0,
        };
        let mut now = start();
        for looks in looks.into_iter().take(members) {
            table.present += 1;
            for _ in 0..looks {
                now += LOOK;
                for me in 0..table.present {
                    table.turn(me, now);
                }
            }
            let held: Vec<_> = (0..table.present).map(|me| table.held(me)).collect();
            prop_assert_eq!(held.iter().sum::<usize>(), count);
            let (least, most) = (held.iter().min(), held.iter().max());
            prop_assert!(most <= least.map(|least| least + 1).as_ref(), "{:?}", held);
        }
    }
}

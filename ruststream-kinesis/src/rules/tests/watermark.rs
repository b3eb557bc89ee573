use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::rules::watermark::Watermark;

/// The sequence number the tests give a record: longer than its neighbours now and then.
fn sequence(ordinal: u64) -> String {
    (ordinal + 8).to_string()
}

fn delivered(records: u64) -> Watermark {
    let mut watermark = Watermark::default();
    assert_eq!(watermark.reserve(records), 0);
    watermark
}

#[test]
fn ordinals_are_handed_out_in_shard_order_without_a_gap() {
    let mut watermark = Watermark::default();
    assert_eq!(watermark.reserve(3), 0);
    assert_eq!(watermark.reserve(0), 3);
    assert_eq!(watermark.reserve(2), 3);
    assert_eq!(watermark.reserve(1), 5);
}

#[test]
fn a_shard_with_nothing_delivered_is_complete_and_has_no_position() {
    let watermark = Watermark::default();
    assert!(watermark.is_complete());
    assert_eq!(watermark.position(), None);
    assert_eq!(watermark.settled_through(), 0);
}

#[test]
fn every_settle_in_order_moves_the_watermark() {
    let mut watermark = delivered(100);
    for ordinal in 0..100 {
        assert!(!watermark.is_complete());
        assert_eq!(watermark.settled_through(), ordinal);
        assert!(watermark.settle(ordinal, &sequence(ordinal)));
        assert_eq!(watermark.position(), Some(&*sequence(ordinal)));
        assert_eq!(watermark.ranges_held(), 0);
    }
    assert!(watermark.is_complete());
}

#[test]
fn settling_the_third_then_the_first_then_the_second_ends_at_the_third() {
    let mut watermark = delivered(3);
    assert!(!watermark.settle(2, &sequence(2)));
    assert_eq!(watermark.position(), None);
    assert!(watermark.settle(0, &sequence(0)));
    assert_eq!(watermark.position(), Some(&*sequence(0)));
    assert!(watermark.settle(1, &sequence(1)));
    assert_eq!(watermark.position(), Some(&*sequence(2)));
    assert!(watermark.is_complete());
}

#[test]
fn a_record_held_for_a_week_costs_no_memory() {
    const AFTER: u64 = 1_000_000;
    let mut watermark = Watermark::default();
    let held = watermark.reserve(1);
    for _ in 0..AFTER {
        let ordinal = watermark.reserve(1);
        assert!(!watermark.settle(ordinal, &sequence(ordinal)));
        assert_eq!(watermark.ranges_held(), 1);
    }
    assert_eq!(watermark.settled_through(), held);
    assert_eq!(watermark.position(), None);

    assert!(watermark.settle(held, &sequence(held)));
    assert_eq!(watermark.position(), Some(&*sequence(AFTER)));
    assert_eq!(watermark.settled_through(), AFTER + 1);
    assert_eq!(watermark.ranges_held(), 0);
}

#[test]
fn memory_follows_the_records_in_flight_and_not_those_settled() {
    let mut watermark = delivered(10_000);
    for ordinal in (0..10_000).rev().filter(|ordinal| ordinal % 1_000 != 0) {
        watermark.settle(ordinal, &sequence(ordinal));
    }
    assert_eq!(watermark.ranges_held(), 10);
    for held in (0..10).rev() {
        watermark.settle(held * 1_000, &sequence(held * 1_000));
    }
    assert!(watermark.is_complete());
    assert_eq!(watermark.position(), Some(&*sequence(9_999)));
}

#[test]
fn settling_twice_is_harmless_and_moves_nothing() {
    let mut watermark = delivered(4);
    assert!(watermark.settle(0, &sequence(0)));
    assert!(!watermark.settle(0, "99999"));
    assert!(!watermark.settle(2, &sequence(2)));
    assert!(!watermark.settle(2, "99999"));
    assert_eq!(watermark.position(), Some(&*sequence(0)));
    assert!(watermark.settle(1, &sequence(1)));
    assert_eq!(watermark.position(), Some(&*sequence(2)));
}

#[test]
fn settling_what_was_never_delivered_is_harmless_and_moves_nothing() {
    let mut watermark = delivered(1);
    for ordinal in [1, 2, u64::MAX] {
        assert!(!watermark.settle(ordinal, &sequence(7)));
    }
    assert_eq!(watermark.ranges_held(), 0);
    assert_eq!(watermark.settled_through(), 0);
}

#[test]
fn a_record_delivered_before_a_reposition_moves_nothing_after_it() {
    let mut watermark = delivered(5);
    watermark.settle(0, &sequence(0));
    watermark.settle(3, &sequence(3));
    watermark.reset();
    assert!(watermark.is_complete());
    assert_eq!(watermark.position(), None);

    let replayed = watermark.reserve(2);
    for stale in 0..5 {
        assert!(!watermark.settle(stale, &sequence(stale)));
    }
    assert_eq!(watermark.position(), None);
    assert!(watermark.settle(replayed, "3"));
    assert_eq!(watermark.position(), Some("3"));
}

/// The watermark as one would write it without a thought for memory.
#[derive(Default)]
struct Model {
    from: u64,
    reserved: u64,
    settled: BTreeSet<u64>,
}

impl Model {
    fn settled_through(&self) -> u64 {
        (self.from..=self.reserved)
            .find(|ordinal| !self.settled.contains(ordinal))
            .unwrap()
    }

    fn settle(&mut self, ordinal: u64) -> bool {
        let before = self.settled_through();
        if (self.from..self.reserved).contains(&ordinal) {
            self.settled.insert(ordinal);
        }
        self.settled_through() > before
    }

    fn position(&self) -> Option<String> {
        let through = self.settled_through();
        (through > self.from).then(|| sequence(through - 1))
    }

    /// Settled runs past the prefix.
    fn ranges(&self) -> usize {
        let through = self.settled_through();
        let starts =
            |ordinal: &&u64| **ordinal > through && !self.settled.contains(&(*ordinal - 1));
        self.settled.iter().filter(starts).count()
    }
}

#[derive(Debug, Clone)]
enum Event {
    Reserve(u64),
    /// An ordinal counted back from a little past the last reserved one.
    Settle(u64),
    Reset,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => (0_u64..8).prop_map(Event::Reserve),
        12 => (0_u64..24).prop_map(Event::Settle),
        1 => Just(Event::Reset),
    ]
}

proptest! {
    #[test]
    fn any_order_of_events_agrees_with_the_naive_model(
        events in proptest::collection::vec(event(), 0..200),
    ) {
        let (mut watermark, mut model) = (Watermark::default(), Model::default());
        for event in events {
            match event {
                Event::Reserve(records) => {
                    prop_assert_eq!(watermark.reserve(records), model.reserved);
                    model.reserved += records;
                }
                Event::Settle(back) => {
                    let ordinal = (model.reserved + 2).saturating_sub(back);
                    let moved = watermark.settle(ordinal, &sequence(ordinal));
                    prop_assert_eq!(moved, model.settle(ordinal));
                }
                Event::Reset => {
                    watermark.reset();
                    model.from = model.reserved;
                    model.settled.clear();
                }
            }
            prop_assert_eq!(watermark.settled_through(), model.settled_through());
            prop_assert_eq!(watermark.position().map(str::to_owned), model.position());
            prop_assert_eq!(watermark.is_complete(), model.settled_through() == model.reserved);
            prop_assert_eq!(watermark.ranges_held(), model.ranges());
        }
    }

    #[test]
    fn any_order_of_settling_ends_complete_and_never_goes_back(
        order in Just((0_u64..60).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut watermark = delivered(60);
        let mut highest = "0".to_owned();
        for ordinal in order {
            watermark.settle(ordinal, &sequence(ordinal));
            if let Some(position) = watermark.position() {
                prop_assert!((position.len(), position) >= (highest.len(), &*highest));
                position.clone_into(&mut highest);
            }
        }
        prop_assert!(watermark.is_complete());
        prop_assert_eq!(highest, sequence(59));
    }
}

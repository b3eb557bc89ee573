use std::collections::HashSet;

use proptest::prelude::*;

use crate::rules::partition_key::{MAX_CHARACTERS, UniqueKeys, check};

#[test]
fn an_empty_key_is_refused() {
    assert!(check("").unwrap_err().contains("at least one character"));
}

#[test]
fn a_key_of_256_characters_passes_and_one_of_257_is_refused() {
    assert_eq!(check(&"k".repeat(256)), Ok(()));
    assert!(check(&"k".repeat(257)).unwrap_err().contains("256"));
}

#[test]
fn the_limit_counts_characters_and_not_bytes() {
    assert_eq!(check(&"\u{1F980}".repeat(256)), Ok(()));
    assert!(check(&"\u{1F980}".repeat(257)).is_err());
}

#[test]
fn unique_keys_are_keys_and_never_repeat() {
    let keys = UniqueKeys::new(u64::MAX);
    let drawn: HashSet<_> = (0..10_000).map(|_| keys.next()).collect();
    assert_eq!(drawn.len(), 10_000);
    assert!(drawn.iter().all(|key| check(key).is_ok()));
}

#[test]
fn threads_that_share_the_keys_never_draw_the_same_one() {
    let keys = UniqueKeys::new(7);
    let draw = || (0..1_000).map(|_| keys.next()).collect::<Vec<_>>();
    let drawn = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(draw)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect::<HashSet<_>>()
    });
    assert_eq!(drawn.len(), 4_000);
}

#[test]
fn processes_with_different_nonces_draw_different_keys() {
    assert_ne!(UniqueKeys::new(1).next(), UniqueKeys::new(2).next());
}

#[test]
fn a_unique_key_costs_one_allocation_of_its_longest_length() {
    assert_eq!(UniqueKeys::new(0).next().capacity(), 33);
}

proptest! {
    #[test]
    fn a_key_passes_exactly_when_its_characters_fit(key in "\\PC{0,300}") {
        let fits = (1..=MAX_CHARACTERS).contains(&key.chars().count());
        prop_assert_eq!(check(&key).is_ok(), fits);
    }
}

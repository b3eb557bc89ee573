//! Shards that the listings leave out.

use super::shards::{listed, ready, shard, split};
use crate::rules::cursor::Cursor;
use crate::rules::subscription::Shards;

#[test]
fn a_shard_that_is_read_is_unlisted_once_two_listings_leave_it_out_and_its_children_wait_for_its_end()
 {
    let mut rules = listed(&split());
    rules.reading("0", &Cursor::Horizon);
    rules.listed(split()[1..].to_vec(), true);
    assert!(!rules.is_unlisted("0"));
    rules.listed(split()[1..].to_vec(), true);
    assert!(rules.is_unlisted("0"));
    assert!(ready(&rules).is_empty());
    rules.listed(split(), true);
    assert!(!rules.is_unlisted("0"));
    rules.finished("0", true);
    assert_eq!(ready(&rules), ["1", "2"]);
}

#[test]
fn a_listing_right_after_another_makes_no_parent_gone() {
    let mut rules = listed(&split());
    rules.held_elsewhere("0");
    rules.listed(split()[1..].to_vec(), true);
    rules.listed(split()[1..].to_vec(), false);
    assert!(ready(&rules).is_empty());
    rules.listed(split()[1..].to_vec(), true);
    assert_eq!(ready(&rules), ["1", "2"]);
}

#[test]
fn a_grandchild_waits_for_what_is_in_flight_of_its_grandparent_though_the_shard_between_is_gone() {
    let grandchildren = [shard("3", &["1"]), shard("4", &["1"])];
    let mut rules = listed(&[&split()[..], &grandchildren].concat());
    rules.reading("0", &Cursor::Horizon);
    for _ in 0..3 {
        rules.listed(grandchildren.to_vec(), true);
    }
    assert!(ready(&rules).is_empty());
    rules.finished("0", true);
    assert_eq!(ready(&rules), ["3", "4"]);
}

#[test]
fn the_ancestors_that_are_gone_unfinished_are_those_another_instance_may_be_at() {
    let grandchildren = [shard("3", &["1"]), shard("4", &["1"])];
    let mut before = listed(&[&split()[..], &grandchildren].concat());
    before.listed(grandchildren.to_vec(), true);
    let names = |rules: &Shards| -> Vec<String> {
        let gone = rules.gone_ancestors("3");
        gone.iter().map(ToString::to_string).collect()
    };
    assert_eq!(names(&before), ["1", "0"]);
    before.finished("1", true);
    assert!(names(&before).is_empty());
    // Whoever never saw them knows of the parent alone.
    assert_eq!(names(&listed(&grandchildren)), ["1"]);
}

use std::time::Duration;

use crate::rules::members::Members;
use crate::rules::store_time::StoreTime;

const TTL: Duration = Duration::from_secs(10);

fn at(seconds: u64) -> StoreTime {
    StoreTime::since_epoch(Duration::from_secs(seconds))
}

fn present(members: &Members, now: StoreTime) -> Vec<(&str, Option<usize>)> {
    let members = members.present(now);
    members
        .map(|(owner, member)| (owner, member.max_leases))
        .collect()
}

#[test]
fn an_instance_is_there_from_its_word_until_its_time_is_over() {
    let mut members = Members::default();
    members.announce("b", Some(3), TTL, at(0));
    members.announce("a", None, TTL, at(5));
    assert_eq!(present(&members, at(9)), [("a", None), ("b", Some(3))]);
    assert_eq!(present(&members, at(10)), [("a", None)]);
    members.announce("b", Some(4), TTL, at(12));
    assert_eq!(present(&members, at(14)), [("a", None), ("b", Some(4))]);
}

#[test]
fn an_instance_that_departs_is_gone_at_once() {
    let mut members = Members::default();
    members.announce("a", None, TTL, at(0));
    members.announce("b", None, TTL, at(0));
    members.depart("a");
    members.depart("nobody");
    assert_eq!(present(&members, at(0)), [("b", None)]);
}

#[test]
fn an_instance_is_there_until_its_time_is_certainly_over() {
    let mut members = Members::default();
    let doubtful = StoreTime {
        earliest: 1_000,
        latest: 2_000,
    };
    members.announce("a", None, TTL, doubtful);
    let may_be_over = StoreTime {
        earliest: 11_999,
        latest: 13_000,
    };
    assert_eq!(present(&members, may_be_over), [("a", None)]);
    assert_eq!(present(&members, at(12)), []);
}

#[test]
fn who_is_long_gone_leaves_no_trace() {
    let mut members = Members::default();
    members.announce("a", None, TTL, at(0));
    members.announce("b", None, TTL, at(609));
    assert_eq!(members.entries().count(), 2);
    members.announce("b", None, TTL, at(610));
    assert_eq!(members.entries().count(), 1);
}

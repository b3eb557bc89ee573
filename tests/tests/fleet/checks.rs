//! The checks find what they look for.

use std::time::Duration;

use ruststream_kinesis::SHARD_END;
use tests::fleet::checks::{
    checkpoints_advance, counters_fence, duplicates, duplicates_between, handled_once,
    keys_in_order, live_leases_stay, nothing_lost, only_owners_write, stored_stays_handled,
};
use tests::fleet::{Event, Handled, Ledger, Published, Record, Reposition, Row, RowWrite};

/// Record `number` of 'k', handled by that instance at that second.
fn handled(by: usize, number: u64, at: u64) -> Handled {
    let record = Record {
        shard: "shardId-0".to_owned(),
        sequence: number.to_string(),
        key: "k".to_owned(),
        number,
        at: Duration::from_secs(at),
    };
    (by, record)
}

fn published(records: u64) -> Published {
    Published([("k".to_owned(), records)].into())
}

/// A row held by that owner.
fn row(owner: &str, counter: u64) -> Row {
    Row {
        owner: (!owner.is_empty()).then(|| owner.to_owned()),
        expiry: None,
        counter: Some(counter),
        checkpoint: None,
        cursor: None,
    }
}

fn at(checkpoint: &str, row: Row) -> Row {
    Row {
        checkpoint: Some(checkpoint.to_owned()),
        ..row
    }
}

fn moved_to(cursor: &str, row: Row) -> Row {
    Row {
        cursor: Some(cursor.to_owned()),
        ..row
    }
}

/// The row in these states, one after the other, each written by that writer.
fn ledger(states: &[(&str, Row)]) -> Ledger {
    let mut before = Row::default();
    let writes = states.iter().map(|(writer, after)| RowWrite {
        shard: "shardId-0".to_owned(),
        writer: Some((*writer).to_owned()),
        applied: true,
        before: std::mem::replace(&mut before, after.clone()),
        after: after.clone(),
        at: Duration::ZERO,
        date: 0,
    });
    Ledger(writes.collect())
}

/// The shard, moved by 'a' at that second.
fn moved_at(at: u64) -> Reposition {
    Reposition {
        by: 0,
        owner_id: "a".to_owned(),
        shard: "shardId-0".to_owned(),
        asked: Duration::from_secs(at),
    }
}

fn refused(found: Result<(), String>, naming: &[&str]) {
    let found = found.expect_err("there is something to find");
    for name in naming {
        assert!(found.contains(name), "no '{name}' in: {found}");
    }
}

#[test]
fn a_record_nobody_handled_is_lost() {
    let all = [handled(0, 0, 1), handled(1, 1, 2), handled(1, 2, 3)];
    assert_eq!(nothing_lost(&published(3), &all), Ok(()));
    refused(nothing_lost(&published(3), &all[..1]), &["'k'", "1 2"]);
    refused(nothing_lost(&published(2), &all), &["record 2", "never"]);
}

#[test]
fn a_record_handled_before_an_earlier_one_of_its_key_is_out_of_order() {
    let moved = [handled(0, 0, 1), handled(1, 2, 2), handled(0, 1, 3)];
    refused(keys_in_order(&moved), &["record 2", "instance 1", "1s"]);
    // What was handled in its order once may come again.
    let again = [
        handled(0, 0, 1),
        handled(0, 1, 2),
        handled(1, 0, 3),
        handled(1, 1, 4),
        handled(1, 2, 5),
    ];
    assert_eq!(keys_in_order(&again), Ok(()));
}

#[test]
fn a_record_handled_again_is_counted_between_the_two() {
    // Each instance's events come in their order, not those of all.
    let again = [
        handled(1, 0, 3),
        handled(1, 1, 4),
        handled(0, 0, 1),
        handled(0, 1, 2),
        handled(0, 0, 5),
    ];
    let found = duplicates(&again);
    assert_eq!(found[0].after, Duration::from_secs(2));
    let between = duplicates_between(&found);
    assert_eq!(between, [((0, 1), 2), ((1, 0), 1)].into());
    refused(
        handled_once(&again, &[], |again| again.again == 1),
        &["1 records of instance 1", "by instance 0"],
    );
    let suspects = [0, 1];
    assert_eq!(
        handled_once(&again, &[], |again| suspects.contains(&again.before)),
        Ok(())
    );
}

#[test]
fn a_reposition_lets_each_record_of_its_shard_be_handled_once_more() {
    let again = [
        handled(0, 0, 1),
        handled(0, 1, 2),
        handled(0, 0, 4),
        handled(1, 1, 5),
    ];
    let once = |moved: &[Reposition]| handled_once(&again, moved, |_| false);
    assert_eq!(once(&[moved_at(3)]), Ok(()));
    // Asked for only after the first of them.
    refused(once(&[moved_at(5)]), &["1 records of instance 0"]);
    let mut elsewhere = moved_at(3);
    elsewhere.shard = "shardId-1".to_owned();
    refused(once(&[elsewhere]), &["1 records"]);
    let thrice = [&again[..], &[handled(0, 0, 6)]].concat();
    refused(
        handled_once(&thrice, &[moved_at(3)], |_| false),
        &["number: 0"],
    );
    assert_eq!(
        handled_once(&thrice, &[moved_at(3), moved_at(6)], |_| false),
        Ok(())
    );
}

#[test]
fn two_owners_under_one_counter_are_found() {
    let shared = ledger(&[("a", row("a", 1)), ("b", row("b", 1))]);
    refused(counters_fence(&shared), &["shardId-0", "a and b", "1"]);
    let fenced = ledger(&[("a", row("a", 1)), ("a", row("", 2)), ("b", row("b", 3))]);
    assert_eq!(counters_fence(&fenced), Ok(()));
    let stuck = ledger(&[("a", row("a", 1)), ("a", at("5", row("a", 1)))]);
    refused(counters_fence(&stuck), &["from 1 to 1"]);
}

#[test]
fn a_checkpoint_that_goes_back_within_one_reposition_is_found() {
    let check = |states: &[(&str, Row)]| checkpoints_advance(&ledger(states), &[]);
    let state = |checkpoint, counter| ("a", at(checkpoint, row("a", counter)));
    assert_eq!(
        check(&[state("9", 1), state("10", 2), state(SHARD_END, 3)]),
        Ok(())
    );
    // As texts, these go the other way.
    refused(check(&[state("10", 1), state("9", 2)]), &["from 10 to 9"]);
    refused(
        check(&[state(SHARD_END, 1), state("9", 2)]),
        &["from SHARD_END to 9"],
    );
    refused(check(&[state("9", 1), ("a", row("a", 2))]), &["deleted"]);

    let replayed = |counter| ("a", moved_to("TRIM_HORIZON", at("10", row("a", counter))));
    assert_eq!(check(&[state("10", 1), replayed(2), state("3", 3)]), Ok(()));
    // The first checkpoint of a replay may be the one there was before it.
    refused(
        check(&[state("10", 1), replayed(2), state("10", 3), state("4", 4)]),
        &["from 10 to 4"],
    );

    // The first checkpoint after a seek may come before the cursor, once.
    let by_a = |checkpoint, counter| ("a/1", at(checkpoint, row("a/1", counter)));
    let sought = ledger(&[by_a("10", 1), by_a("3", 2)]);
    assert_eq!(checkpoints_advance(&sought, &[moved_at(0)]), Ok(()));
    let twice = ledger(&[by_a("10", 1), by_a("3", 2), by_a("2", 3)]);
    refused(
        checkpoints_advance(&twice, &[moved_at(0)]),
        &["from 3 to 2"],
    );
    refused(
        checkpoints_advance(&sought, &[moved_at(1)]),
        &["from 10 to 3"],
    );
}

#[test]
fn a_write_to_a_row_that_another_holds_is_found() {
    let taken = ledger(&[("a", row("a", 1)), ("b", row("b", 2))]);
    assert_eq!(only_owners_write(&taken), Ok(()));
    let late = ledger(&[("b", row("b", 1)), ("a", at("5", row("b", 2)))]);
    refused(only_owners_write(&late), &["\"a\"", "\"b\""]);
    let mut harmless = late;
    harmless.0[1].applied = false;
    assert_eq!(only_owners_write(&harmless), Ok(()));
}

#[test]
fn a_live_lease_that_is_taken_is_found() {
    let lasting = |owner, counter, expiry| Row {
        expiry: Some(expiry),
        ..row(owner, counter)
    };
    let mut taken = ledger(&[("a", lasting("a", 1, 500)), ("b", lasting("b", 2, 900))]);
    taken.0[1].date = 500;
    assert_eq!(live_leases_stay(&taken), Ok(()));
    taken.0[1].date = 499;
    refused(
        live_leases_stay(&taken),
        &["b took the lease of a", "499", "500"],
    );
    // What was handed back is anybody's.
    let free = ledger(&[
        ("a", lasting("a", 1, 500)),
        ("a", row("", 2)),
        ("b", lasting("b", 3, 900)),
    ]);
    assert_eq!(live_leases_stay(&free), Ok(()));
}

#[test]
fn a_record_that_was_stored_before_the_shard_was_taken_is_found() {
    let moved_by_a = ledger(&[
        ("a", row("a", 1)),
        ("a", at("5", row("", 2))),
        ("b", at("5", row("b", 3))),
    ]);
    let owners = [(0, "a".to_owned()), (1, "b".to_owned())].into();
    let check = |handled: &[Handled], moved: &[Reposition]| {
        stored_stays_handled(handled, &moved_by_a, moved, &owners)
    };
    let first = [handled(0, 5, 1), handled(1, 6, 2)];
    assert_eq!(check(&first, &[]), Ok(()));
    let again = [handled(1, 5, 2)];
    refused(check(&again, &[]), &["instance 1 (b)", "took after 5"]);
    refused(check(&again, &[moved_at(0)]), &["took after 5"]);
    let by_b = Reposition {
        by: 1,
        ..moved_at(0)
    };
    assert_eq!(check(&again, &[by_b]), Ok(()));
    refused(check(&[handled(2, 6, 3)], &[]), &["never took"]);

    // What another one moved is read from there.
    let cursor = moved_to("TRIM_HORIZON", at("5", row("", 2)));
    let left = ledger(&[("a", cursor), ("b", at("5", row("b", 3)))]);
    assert_eq!(stored_stays_handled(&again, &left, &[], &owners), Ok(()));
}

#[test]
fn an_event_is_read_as_it_is_told() {
    let (_, record) = handled(0, 7, 3);
    for event in [
        Event::Ready,
        Event::Began(record.clone()),
        Event::Handled(record),
        Event::Sought,
        Event::Refused("it is not there".to_owned()),
        Event::Stopped,
    ] {
        assert_eq!(event.to_string().parse(), Ok(event));
    }
    "handled shardId-0 7 k".parse::<Event>().expect_err("cut");
}

use std::time::Duration;

use proptest::prelude::*;

use crate::rules::row::{Row, Start};
use crate::rules::store_time::StoreTime;

const TTL: Duration = Duration::from_secs(10);

fn at(millis: u64) -> StoreTime {
    StoreTime {
        earliest: millis,
        latest: millis,
    }
}

fn taken(owner: &str, millis: u64) -> Row {
    let mut row = Row::default();
    assert!(row.acquire(owner, TTL, at(millis)));
    row
}

#[test]
fn a_lease_lasts_from_its_latest_beginning_to_its_certain_end() {
    let mut row = Row::default();
    let doubtful = StoreTime {
        earliest: 1_000,
        latest: 1_900,
    };
    assert!(row.acquire("a", TTL, doubtful));
    let may_be_over = StoreTime {
        earliest: 11_899,
        latest: 12_800,
    };
    assert_eq!(row.holder(may_be_over), Some("a"));
    assert!(!row.acquire("b", TTL, may_be_over));
    assert_eq!(row.holder(at(11_900)), None);
    assert!(row.acquire("b", TTL, at(11_900)));
}

#[test]
fn a_lapsed_lease_is_its_owners_until_another_takes_it() {
    let mut row = taken("a", 0);
    assert!(row.checkpoint("a", "1"));
    let late = at(60_000);
    assert_eq!(row.holder(late), None);
    assert!(row.checkpoint("a", "2"));
    assert!(row.renew("a", TTL, late));
    assert_eq!(row.holder(late), Some("a"));
    assert!(row.acquire("b", TTL, at(70_000)));
    assert!(!row.checkpoint("a", "3"));
    assert!(!row.renew("a", TTL, at(70_000)));
    assert!(!row.release("a"));
    assert_eq!(row.checkpoint.as_deref(), Some("2"));
}

#[test]
fn taking_a_lease_never_touches_the_checkpoint() {
    let mut row = taken("a", 0);
    assert!(row.checkpoint("a", "7"));
    assert!(row.release("a"));
    let start = Start {
        cursor: Some("TRIM_HORIZON"),
        stream_created: Some(5),
    };
    assert!(row.take("b", TTL, at(1), start));
    assert_eq!(row.checkpoint.as_deref(), Some("7"));
    assert_eq!(row.cursor.as_deref(), Some("TRIM_HORIZON"));
}

#[test]
fn a_checkpoint_ends_the_cursor() {
    let mut row = taken("a", 0);
    assert!(row.keep_cursor("a", "TRIM_HORIZON"));
    assert!(!row.keep_cursor("b", "AT_TIMESTAMP:1"));
    assert_eq!(row.cursor.as_deref(), Some("TRIM_HORIZON"));
    assert!(row.checkpoint("a", "1"));
    assert_eq!(row.cursor, None);
}

#[test]
fn a_release_keeps_the_checkpoint_and_the_cursor() {
    let mut row = taken("a", 0);
    assert!(row.checkpoint("a", "1"));
    assert!(row.keep_cursor("a", "TRIM_HORIZON"));
    assert!(row.release("a"));
    assert!(!row.release("a"));
    assert_eq!(row.lease, None);
    assert_eq!(row.checkpoint.as_deref(), Some("1"));
    assert_eq!(row.cursor.as_deref(), Some("TRIM_HORIZON"));
}

/// A row with progress on the stream created at 1, taken by a reader of the one created at 2.
fn stale(cursor: Option<&str>) -> Row {
    let mut row = Row::default();
    let old = Start {
        cursor: None,
        stream_created: Some(1),
    };
    assert!(row.take("a", TTL, at(0), old));
    assert!(row.checkpoint("a", "9"));
    assert!(row.release("a"));
    let new = Start {
        cursor,
        stream_created: Some(2),
    };
    assert!(row.take("b", TTL, at(1), new));
    row
}

#[test]
fn a_stale_row_is_known_as_stale_until_something_of_the_new_stream_is_stored() {
    let mut row = stale(None);
    assert!(row.is_stale(Some(2)));
    assert!(row.renew("b", TTL, at(2)));
    assert!(row.acquire("b", TTL, at(2)));
    assert!(row.is_stale(Some(2)));
    let mut moved = row.clone();
    assert!(row.checkpoint("b", "1"));
    assert!(!row.is_stale(Some(2)));
    assert!(moved.keep_cursor("b", "TRIM_HORIZON"));
    assert!(!moved.is_stale(Some(2)));
}

#[test]
fn a_stale_row_taken_with_a_cursor_is_of_the_new_stream() {
    let row = stale(Some("TRIM_HORIZON"));
    assert!(!row.is_stale(Some(2)));
    assert_eq!(row.cursor.as_deref(), Some("TRIM_HORIZON"));
}

#[test]
fn a_row_that_names_no_stream_takes_the_name_of_its_readers() {
    let mut row = taken("a", 0);
    assert!(row.checkpoint("a", "1"));
    assert!(!row.is_stale(Some(1)));
    let start = Start {
        cursor: None,
        stream_created: Some(1),
    };
    assert!(row.take("a", TTL, at(0), start));
    assert_eq!(row.stream_created, Some(1));
    assert!(row.take("a", TTL, at(0), Start::default()));
    assert_eq!(row.stream_created, Some(1));
}

#[cfg(feature = "dynamodb-lease")]
#[test]
fn a_checkpoint_of_another_row_is_taken_over_where_there_is_none() {
    let mut row = taken("a", 0);
    let before = row.counter;
    assert!(row.adopt("7"));
    assert_eq!(
        (row.checkpoint.as_deref(), row.counter),
        (Some("7"), before + 1)
    );
    assert!(!row.adopt("9"));
    assert_eq!(
        (row.checkpoint.as_deref(), row.counter),
        (Some("7"), before + 1)
    );
}

#[cfg(feature = "dynamodb-lease")]
#[test]
fn what_an_owner_reads_is_recalled_and_not_stored() {
    let known = stale(None);
    let mut found = known.clone();
    found.lease.as_mut().expect("it is held").reads = None;
    assert!(found.is_stored_as(&known));
    found.recall(&known);
    assert_eq!(found, known);
    assert!(found.checkpoint("b", "1"));
    assert!(!found.is_stale(Some(2)));
    assert!(!found.is_stored_as(&known));

    let mut others = known.clone();
    others.lease.as_mut().expect("it is held").owner = "c".to_owned();
    others.lease.as_mut().expect("it is held").reads = None;
    let before = others.clone();
    others.recall(&known);
    assert_eq!(others, before);
}

#[cfg(feature = "dynamodb-lease")]
#[test]
fn rows_that_were_written_more_or_less_often_may_say_the_same() {
    let known = taken("a", 0);
    let mut again = known.clone();
    assert!(again.acquire("a", TTL, at(0)));
    assert!(again.says_the_same_as(&known));
    assert!(!again.is_stored_as(&known));
    assert!(again.renew("a", TTL, at(1)));
    assert!(!again.says_the_same_as(&known));
}

#[derive(Debug, Clone)]
enum Call {
    Acquire,
    Take { cursor: bool, stream: Option<u64> },
    Renew,
    Checkpoint,
    KeepCursor,
    Release,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        Just(Call::Acquire),
        (any::<bool>(), proptest::option::of(1..3_u64))
            .prop_map(|(cursor, stream)| Call::Take { cursor, stream }),
        Just(Call::Renew),
        Just(Call::Checkpoint),
        Just(Call::KeepCursor),
        Just(Call::Release),
    ]
}

proptest! {
    #[test]
    fn whatever_is_called_a_live_lease_stays_and_every_write_counts(
        calls in proptest::collection::vec((call(), 0..3_usize, 0..8_000_u64, 0..900_u64), 1..60),
    ) {
        let mut row = Row::default();
        let mut earliest = 0;
        for (turn, (call, owner, pause, doubt)) in calls.into_iter().enumerate() {
            earliest += pause;
            let now = StoreTime { earliest, latest: earliest + doubt };
            let owner = ["a", "b", "c"][owner];
            let text = turn.to_string();
            let before = row.clone();
            let accepted = match &call {
                Call::Acquire => row.acquire(owner, TTL, now),
                Call::Take { cursor, stream } => {
                    let start = Start {
                        cursor: cursor.then_some(&*text),
                        stream_created: *stream,
                    };
                    row.take(owner, TTL, now, start)
                }
                Call::Renew => row.renew(owner, TTL, now),
                Call::Checkpoint => row.checkpoint(owner, &text),
                Call::KeepCursor => row.keep_cursor(owner, &text),
                Call::Release => row.release(owner),
            };
            let allowed = match call {
                Call::Acquire | Call::Take { .. } => before.is_free_for(owner, now),
                _ => before.is_held_by(owner),
            };
            prop_assert_eq!(accepted, allowed);
            if !accepted {
                prop_assert_eq!(&row, &before);
                continue;
            }
            prop_assert_eq!(row.counter, before.counter + 1);
            match call {
                Call::Checkpoint => {
                    prop_assert_eq!(row.checkpoint.as_deref(), Some(&*text));
                    prop_assert_eq!(&row.cursor, &None);
                }
                Call::KeepCursor | Call::Take { cursor: true, .. } => {
                    prop_assert_eq!(&row.checkpoint, &before.checkpoint);
                    prop_assert_eq!(row.cursor.as_deref(), Some(&*text));
                }
                _ => {
                    prop_assert_eq!(&row.checkpoint, &before.checkpoint);
                    prop_assert_eq!(&row.cursor, &before.cursor);
                }
            }
            match call {
                Call::Release => prop_assert_eq!(&row.lease, &None),
                Call::Checkpoint | Call::KeepCursor => prop_assert_eq!(&row.lease, &before.lease),
                _ => prop_assert_eq!(row.holder(now), Some(owner)),
            }
        }
    }
}

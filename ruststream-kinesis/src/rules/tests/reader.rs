use std::time::{Duration, Instant};

use super::start;
use crate::rules::cursor::Cursor;
use crate::rules::reader::{Action, Note, Reader, Refusal};

const POLL: Duration = Duration::from_secs(1);
const MADE: u64 = 1_700_000_000_000;

fn reader(cursor: Cursor) -> Reader {
    Reader::new(cursor, "first".to_owned(), MADE, POLL)
}

fn read(reader: &mut Reader, now: Instant, last: Option<&str>, next: Option<&str>, behind: bool) {
    reader.read_started(now);
    reader.page(now, last, next.map(str::to_owned), 0, behind);
}

#[test]
fn five_empty_pages_that_say_they_are_behind_cost_no_idle_pause() {
    let mut reader = reader(Cursor::Tip);
    let now = start();
    for _ in 0..4 {
        read(&mut reader, now, None, Some("next"), true);
        assert_eq!(reader.action(now), Action::Read("next".to_owned()));
    }
}

#[test]
fn an_idle_shard_is_read_once_a_poll_interval() {
    let mut reader = reader(Cursor::Tip);
    let now = start();
    read(&mut reader, now, None, Some("next"), false);
    assert_eq!(reader.action(now), Action::Wait(now + POLL));
    assert_eq!(reader.action(now + POLL), Action::Read("next".to_owned()));
}

#[test]
fn an_iterator_that_expires_reopens_after_the_last_delivered_record() {
    let mut reader = reader(Cursor::Horizon);
    let now = start();
    read(&mut reader, now, Some("100"), Some("next"), true);
    reader.iterator_gone(now);
    assert_eq!(
        reader.action(now),
        Action::Open(Cursor::After("100".to_owned()))
    );
}

#[test]
fn an_idle_shard_opened_at_the_tip_never_reopens_at_a_later_tip() {
    let mut reader = reader(Cursor::Tip);
    let now = start();
    read(&mut reader, now, None, Some("next"), false);
    reader.iterator_gone(now);
    assert_eq!(
        reader.action(now + POLL),
        Action::Open(Cursor::Timestamp(MADE))
    );
}

#[test]
fn a_page_without_a_next_iterator_is_the_end_of_the_shard() {
    let mut reader = reader(Cursor::Horizon);
    let now = start();
    read(&mut reader, now, Some("9"), None, false);
    assert_eq!(reader.action(now), Action::End);
}

#[test]
fn a_throttled_read_waits_one_interval_and_reads_again_from_where_it_stopped() {
    let mut reader = reader(Cursor::Horizon);
    let now = start();
    reader.read_started(now);
    assert_eq!(
        reader.read_failed(Refusal::Throttled, now, 0),
        Note::Throttled
    );
    assert_eq!(reader.action(now), Action::Wait(now + POLL));
    assert_eq!(reader.action(now + POLL), Action::Read("first".to_owned()));
    reader.read_started(now + POLL);
    assert_eq!(
        reader.read_failed(Refusal::Throttled, now + POLL, 0),
        Note::Quiet
    );
}

#[test]
fn the_first_fault_after_throttles_is_reported_and_each_kind_is_told_once_a_streak() {
    let mut reader = reader(Cursor::Horizon);
    let now = start();
    for _ in 0..2 {
        let told = [
            (Refusal::Throttled, Note::Throttled),
            (Refusal::Throttled, Note::Quiet),
            (Refusal::Transient, Note::Report),
            (Refusal::Throttled, Note::Quiet),
            (Refusal::Transient, Note::Quiet),
        ];
        for (refusal, note) in told {
            reader.read_started(now);
            assert_eq!(reader.read_failed(refusal, now, 0), note);
        }
        read(&mut reader, now, Some("1"), Some("next"), true);
        reader.iterator_gone(now);
        for (refusal, note) in told {
            assert_eq!(reader.not_opened(refusal, now, 0), note);
        }
        reader.opened("next".to_owned(), MADE);
    }
}

#[test]
fn a_read_the_service_refuses_for_its_iterator_opens_again_at_its_pace() {
    let mut reader = reader(Cursor::Horizon);
    let now = start();
    read(&mut reader, now, Some("100"), Some("next"), true);
    reader.read_started(now);
    assert_eq!(
        reader.read_failed(Refusal::NoSuchPlace, now, 0),
        Note::Report
    );
    assert_eq!(
        reader.action(now),
        Action::Open(Cursor::After("100".to_owned()))
    );
    reader.opened("another".to_owned(), MADE);
    assert_eq!(reader.action(now), Action::Wait(now + POLL));
    reader.read_started(now + POLL);
    // An iterator that is made says nothing of the reads.
    assert_eq!(
        reader.read_failed(Refusal::NoSuchPlace, now + POLL, 0),
        Note::Quiet
    );
}

#[test]
fn a_checkpoint_older_than_the_retention_restarts_at_the_horizon_once() {
    let mut reader = reader(Cursor::After("1".to_owned()));
    let now = start();
    reader.iterator_gone(now);
    assert_eq!(
        reader.not_opened(Refusal::NoSuchPlace, now, 0),
        Note::RestartedAtHorizon
    );
    assert_eq!(reader.action(now), Action::Open(Cursor::Horizon));
    assert_eq!(
        reader.not_opened(Refusal::NoSuchPlace, now, 0),
        Note::Report
    );
    assert!(matches!(reader.action(now), Action::Wait(_)));
}

#[test]
fn only_a_place_that_names_a_record_is_replaced_by_the_horizon() {
    let (at, after) = (Cursor::At("1".to_owned()), Cursor::After("1".to_owned()));
    for cursor in [&at, &after] {
        let instead = |refusal: Refusal| refusal.instead_of(cursor);
        assert_eq!(instead(Refusal::NoSuchPlace), Some(Cursor::Horizon));
        assert_eq!(instead(Refusal::Throttled), None);
        assert_eq!(instead(Refusal::Transient), None);
    }
    for cursor in [Cursor::Horizon, Cursor::Tip, Cursor::Timestamp(MADE)] {
        assert_eq!(Refusal::NoSuchPlace.instead_of(&cursor), None);
    }
}

#[test]
fn a_refused_iterator_is_asked_for_again_with_a_growing_pause() {
    let mut reader = reader(Cursor::Horizon);
    let mut now = start();
    reader.iterator_gone(now);
    let mut pauses = Vec::new();
    for _ in 0..8 {
        reader.not_opened(Refusal::Transient, now, u64::MAX);
        let Action::Wait(until) = reader.action(now) else {
            panic!("no pause");
        };
        pauses.push(until - now);
        now = until;
    }
    assert!(pauses.is_sorted(), "{pauses:?}");
    assert_eq!(pauses.last(), Some(&Duration::from_secs(10)));
}

#[test]
fn a_reposition_goes_on_from_the_seeks_iterator_whatever_the_reader_did() {
    let now = start();
    for end in [false, true] {
        let mut reader = reader(Cursor::Horizon);
        read(&mut reader, now, Some("9"), (!end).then_some("next"), false);
        reader.repositioned(Cursor::Tip, "sought".to_owned(), MADE + 5);
        assert_eq!(reader.action(now), Action::Read("sought".to_owned()));
        reader.iterator_gone(now);
        assert_eq!(
            reader.action(now),
            Action::Open(Cursor::Timestamp(MADE + 5))
        );
    }
}

#[test]
fn a_read_answered_with_an_expired_iterator_counts_from_its_answer() {
    let mut reader = reader(Cursor::Horizon);
    let sent = start();
    let answered = sent + Duration::from_millis(700);
    for _ in 0..5 {
        reader.read_started(sent);
        reader.iterator_gone(answered);
        reader.opened("again".to_owned(), MADE);
    }
    let Action::Wait(until) = reader.action(answered) else {
        panic!("the sixth read waits");
    };
    assert!(until - answered >= Duration::from_secs(1));
}

#[test]
fn a_shard_that_is_gone_is_at_its_end_however_that_is_learned() {
    let now = start();
    let mut reading = reader(Cursor::Horizon);
    reading.read_started(now);
    assert_eq!(reading.read_failed(Refusal::Gone, now, 0), Note::Gone);
    assert_eq!(reading.action(now), Action::End);

    let mut opening = reader(Cursor::Horizon);
    read(&mut opening, now, Some("100"), Some("next"), true);
    opening.iterator_gone(now);
    assert_eq!(opening.not_opened(Refusal::Gone, now, 0), Note::Gone);
    assert_eq!(opening.action(now), Action::End);
}

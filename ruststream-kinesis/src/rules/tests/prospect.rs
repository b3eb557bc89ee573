use crate::rules::cursor::Cursor;
use crate::rules::prospect::{Evidence, Place, Prospect, Tip};
use crate::rules::seen_row::{SHARD_END, SeenRow};

const OPENED: u64 = 1_700_000_000_000;

/// An open shard without a row, of a subscription that is opening.
fn fresh() -> Prospect {
    Prospect {
        open: true,
        gone: Vec::new(),
        unlisted_parents: Vec::new(),
        children: Vec::new(),
        repositioned: None,
        remembered: None,
        stream_wide: None,
        existed: true,
        followed: false,
        tip: Tip::Now(OPENED),
    }
}

/// The same of a subscription that has opened.
fn later() -> Prospect {
    Prospect {
        tip: Tip::Then(OPENED),
        ..fresh()
    }
}

#[test]
fn a_shard_resumes_from_its_stored_checkpoint() {
    let opening = Prospect {
        stream_wide: Some(Cursor::Horizon),
        ..fresh()
    };
    assert_eq!(
        opening.cursor(None, Some("17")),
        Cursor::After("17".to_owned())
    );
}

#[test]
fn an_owner_that_dies_before_its_first_ack_never_reopens_at_a_later_tip() {
    let tip_of_the_dead = Cursor::Timestamp(OPENED);
    let opening = fresh();
    assert_eq!(
        opening.cursor(Some(&tip_of_the_dead), None),
        tip_of_the_dead
    );
}

#[test]
fn a_crash_in_the_middle_of_a_replay_resumes_the_replay() {
    let opening = fresh();
    assert_eq!(
        opening.cursor(Some(&Cursor::Horizon), Some("17")),
        Cursor::Horizon
    );
}

#[test]
fn a_shard_without_a_checkpoint_opens_at_the_tip() {
    assert_eq!(fresh().cursor(None, None), Cursor::Tip);
}

#[test]
fn the_tip_is_the_moment_the_subscription_opened() {
    let opening = later();
    assert_eq!(opening.cursor(None, None), Cursor::Timestamp(OPENED));
}

#[test]
fn a_position_of_this_subscription_wins_over_the_stored_checkpoint() {
    let opening = Prospect {
        repositioned: Some(Cursor::Horizon),
        ..fresh()
    };
    assert_eq!(opening.cursor(None, Some("17")), Cursor::Horizon);
}

#[test]
fn a_child_whose_parents_ended_under_this_table_opens_at_its_horizon() {
    let opening = Prospect {
        followed: true,
        ..later()
    };
    assert_eq!(opening.cursor(None, None), Cursor::Horizon);
}

#[test]
fn a_shard_born_after_the_position_opens_at_its_horizon() {
    for position in [None, Some(Cursor::Horizon), Some(Cursor::Tip)] {
        let opening = Prospect {
            stream_wide: position.clone(),
            existed: false,
            ..later()
        };
        assert_eq!(opening.cursor(None, None), Cursor::Horizon, "{position:?}");
    }
}

#[test]
fn a_stream_wide_position_reaches_a_shard_that_existed_and_is_taken_later() {
    for position in [Cursor::Horizon, Cursor::Timestamp(5)] {
        let opening = Prospect {
            stream_wide: Some(position.clone()),
            ..later()
        };
        assert_eq!(opening.cursor(None, None), position);
    }
}

#[test]
fn a_reader_that_lost_its_lease_before_any_progress_opens_where_it_had_opened() {
    let remembered = Cursor::Timestamp(7);
    let opening = Prospect {
        remembered: Some(remembered.clone()),
        ..later()
    };
    assert_eq!(opening.cursor(None, None), remembered);
}

fn row(checkpoint: Option<&str>, cursor: Option<&str>) -> SeenRow {
    SeenRow {
        checkpoint: checkpoint.map(str::to_owned),
        cursor: cursor.map(str::to_owned),
        ..SeenRow::default()
    }
}

/// Where a shard of which nothing was stored opens at `cursor`.
fn unkept(cursor: Cursor) -> Place {
    Place {
        cursor,
        unkept: true,
        stale_end: false,
    }
}

#[test]
fn a_closed_shard_that_its_row_ends_is_not_read_and_no_listing_is_asked_for() {
    let closed = Prospect {
        open: false,
        ..later()
    };
    let ended = row(Some(SHARD_END), None);
    assert!(!closed.wants_listing(&ended));
    assert_eq!(closed.place(&ended, &Evidence::default()), None);
}

#[test]
fn an_open_shard_that_its_row_ends_is_read_from_its_horizon_once_a_listing_says_so_again() {
    let ended = row(Some(SHARD_END), None);
    assert!(later().wants_listing(&ended));
    assert_eq!(later().place(&ended, &Evidence::default()), None);
    let open = Evidence {
        still_open: true,
        ..Evidence::default()
    };
    let place = later().place(&ended, &open).expect("it is read");
    assert_eq!(place.cursor, Cursor::Horizon);
    assert!(place.stale_end && !place.unkept);
}

#[test]
fn a_replay_of_an_ended_shard_goes_on_where_its_row_says() {
    let replayed = row(Some(SHARD_END), Some("AT_SEQUENCE_NUMBER:17"));
    let place = later().place(&replayed, &Evidence::default());
    let place = place.expect("it is read");
    assert_eq!(place.cursor, Cursor::At("17".to_owned()));
    assert!(!place.stale_end);
}

#[test]
fn a_child_with_progress_implies_that_its_silent_parent_is_finished() {
    let parent = Prospect {
        children: vec!["1".into(), "2".into()],
        ..later()
    };
    let silent = SeenRow::default();
    assert_eq!(parent.wants_rows(&silent).len(), 2);
    let mut evidence = Evidence::default();
    let cursor_only = row(None, Some("TRIM_HORIZON"));
    evidence.family.insert("1".into(), cursor_only);
    assert_eq!(
        parent.place(&silent, &evidence),
        Some(unkept(Cursor::Timestamp(OPENED)))
    );
    evidence.family.insert("2".into(), row(Some("5"), None));
    assert_eq!(parent.place(&silent, &evidence), None);
    // A row of its own says more.
    assert!(parent.wants_rows(&row(Some("3"), None)).is_empty());
}

#[test]
fn a_child_of_an_unlisted_parent_that_was_read_in_part_opens_at_its_horizon() {
    let child = Prospect {
        gone: Vec::new(),
        unlisted_parents: vec!["0".into()],
        ..later()
    };
    let silent = SeenRow::default();
    let mut evidence = Evidence::default();
    evidence.family.insert("0".into(), SeenRow::default());
    assert_eq!(
        child.place(&silent, &evidence),
        Some(unkept(Cursor::Timestamp(OPENED)))
    );
    evidence.family.insert("0".into(), row(Some("3"), None));
    assert_eq!(
        child.place(&silent, &evidence),
        Some(unkept(Cursor::Horizon))
    );
}

#[test]
fn what_a_row_says_of_an_earlier_stream_counts_for_nothing() {
    let stale = SeenRow {
        stale: true,
        ..row(Some(SHARD_END), None)
    };
    let stale = stale.unless_stale();
    assert!(!later().wants_listing(&stale));
    assert_eq!(
        later().place(&stale, &Evidence::default()),
        Some(unkept(Cursor::Horizon))
    );
}

#[test]
fn a_position_reads_an_ended_shard_and_asks_for_nothing_more() {
    let sought = Prospect {
        repositioned: Some(Cursor::Horizon),
        children: vec!["1".into()],
        ..later()
    };
    let ended = row(Some(SHARD_END), None);
    assert!(!sought.wants_listing(&ended) && sought.wants_rows(&ended).is_empty());
    assert_eq!(
        sought.place(&ended, &Evidence::default()),
        Some(unkept(Cursor::Horizon))
    );
}

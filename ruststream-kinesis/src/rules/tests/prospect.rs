use crate::rules::cursor::Cursor;
use crate::rules::prospect::{Prospect, Tip};

const OPENED: u64 = 1_700_000_000_000;

/// An open shard without a row, of a subscription that is opening.
fn fresh() -> Prospect {
    Prospect {
        open: true,
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

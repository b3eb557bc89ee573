use crate::rules::cursor::{Cursor, Opening};

const FRESH: Opening<'_> = Opening {
    repositioned: None,
    stored: None,
    checkpoint: None,
    remembered: None,
    stream_wide: None,
    existed: true,
    followed: false,
    opened_at: None,
};

const OPENED: u64 = 1_700_000_000_000;

#[test]
fn a_shard_resumes_from_its_stored_checkpoint() {
    let opening = Opening {
        checkpoint: Some("17"),
        stream_wide: Some(&Cursor::Horizon),
        ..FRESH
    };
    assert_eq!(opening.cursor(), Cursor::After("17".to_owned()));
}

#[test]
fn an_owner_that_dies_before_its_first_ack_never_reopens_at_a_later_tip() {
    let tip_of_the_dead = Cursor::Timestamp(OPENED);
    let opening = Opening {
        stored: Some(&tip_of_the_dead),
        ..FRESH
    };
    assert_eq!(opening.cursor(), tip_of_the_dead);
}

#[test]
fn a_crash_in_the_middle_of_a_replay_resumes_the_replay() {
    let opening = Opening {
        stored: Some(&Cursor::Horizon),
        checkpoint: Some("17"),
        ..FRESH
    };
    assert_eq!(opening.cursor(), Cursor::Horizon);
}

#[test]
fn a_shard_without_a_checkpoint_opens_at_the_tip() {
    assert_eq!(FRESH.cursor(), Cursor::Tip);
}

#[test]
fn the_tip_is_the_moment_the_subscription_opened() {
    let opening = Opening {
        opened_at: Some(OPENED),
        ..FRESH
    };
    assert_eq!(opening.cursor(), Cursor::Timestamp(OPENED));
}

#[test]
fn a_position_of_this_subscription_wins_over_the_stored_checkpoint() {
    let opening = Opening {
        repositioned: Some(&Cursor::Horizon),
        checkpoint: Some("17"),
        ..FRESH
    };
    assert_eq!(opening.cursor(), Cursor::Horizon);
}

#[test]
fn a_child_whose_parents_ended_under_this_table_opens_at_its_horizon() {
    let opening = Opening {
        followed: true,
        opened_at: Some(OPENED),
        ..FRESH
    };
    assert_eq!(opening.cursor(), Cursor::Horizon);
}

#[test]
fn a_shard_born_after_the_position_opens_at_its_horizon() {
    for position in [None, Some(&Cursor::Horizon), Some(&Cursor::Tip)] {
        let opening = Opening {
            stream_wide: position,
            existed: false,
            opened_at: Some(OPENED),
            ..FRESH
        };
        assert_eq!(opening.cursor(), Cursor::Horizon, "{position:?}");
    }
}

#[test]
fn a_stream_wide_position_reaches_a_shard_that_existed_and_is_taken_later() {
    for position in [Cursor::Horizon, Cursor::Timestamp(5)] {
        let opening = Opening {
            stream_wide: Some(&position),
            opened_at: Some(OPENED),
            ..FRESH
        };
        assert_eq!(opening.cursor(), position);
    }
}

#[test]
fn a_reader_that_lost_its_lease_before_any_progress_opens_where_it_had_opened() {
    let remembered = Cursor::Timestamp(7);
    let opening = Opening {
        remembered: Some(&remembered),
        opened_at: Some(OPENED),
        ..FRESH
    };
    assert_eq!(opening.cursor(), remembered);
}

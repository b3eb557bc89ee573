use std::time::Duration;

use super::start;
use crate::rules::creation::Creation;

#[test]
fn a_created_stream_is_waited_for_up_to_a_minute_and_the_error_names_its_state() {
    let begin = start();
    let mut creation = Creation::new(begin);
    let mut now = begin;
    let reason = loop {
        match creation.look_again("CREATING", now) {
            Ok(next) => now = next,
            Err(reason) => break reason,
        }
    };
    assert_eq!(now, begin + Duration::from_mins(1));
    assert!(reason.contains("CREATING"), "{reason}");
}

#[test]
fn the_looks_keep_to_the_accounts_rate_after_the_first_moments() {
    let begin = start();
    let mut creation = Creation::new(begin);
    let mut now = begin;
    let mut looks = 0;
    while let Ok(next) = creation.look_again("CREATING", now) {
        now = next;
        looks += 1;
    }
    assert!(looks < 80, "{looks}");
}

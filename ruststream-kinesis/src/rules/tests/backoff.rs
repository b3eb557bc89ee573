use std::time::Duration;

use proptest::prelude::*;

use crate::rules::backoff::{between, ceiling, delay, jittered};

const BASE: Duration = Duration::from_millis(100);
const CAP: Duration = Duration::from_secs(10);

#[test]
fn the_ceiling_doubles_with_each_attempt_until_the_cap() {
    let millis: Vec<_> = (0..9).map(|n| ceiling(n, BASE, CAP).as_millis()).collect();
    assert_eq!(
        millis,
        [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]
    );
}

#[test]
fn an_attempt_count_without_end_stays_at_the_cap() {
    assert_eq!(ceiling(u32::MAX, BASE, CAP), CAP);
    assert_eq!(delay(u32::MAX, Duration::MAX, CAP, u64::MAX), CAP);
}

#[test]
fn the_random_number_picks_the_whole_range_evenly() {
    assert_eq!(between(BASE, CAP, 0), BASE);
    assert_eq!(between(BASE, CAP, u64::MAX), CAP);
    let middle = between(Duration::ZERO, CAP, u64::MAX / 2);
    assert!(middle.abs_diff(CAP / 2) <= Duration::from_nanos(1));
}

#[test]
fn an_empty_range_answers_its_lower_end() {
    assert_eq!(between(CAP, BASE, u64::MAX), CAP);
}

#[test]
fn jitter_reaches_as_far_down_as_up() {
    let reach = |random| jittered(Duration::from_secs(10), 0.25, random);
    assert_eq!(reach(0), Duration::from_millis(7_500));
    assert_eq!(reach(u64::MAX), Duration::from_millis(12_500));
}

#[test]
fn a_fraction_out_of_range_is_clamped() {
    assert_eq!(jittered(BASE, -1.0, 7), BASE);
    assert_eq!(jittered(BASE, 9.0, 0), Duration::ZERO);
    assert_eq!(jittered(BASE, 9.0, u64::MAX), BASE * 2);
    assert_eq!(jittered(BASE, f64::NAN, 7), BASE);
}

proptest! {
    #[test]
    fn a_delay_never_passes_its_ceiling(
        attempt: u32,
        base in any::<Duration>(),
        cap in any::<Duration>(),
        random: u64,
    ) {
        prop_assert!(delay(attempt, base, cap, random) <= cap);
        prop_assert!(ceiling(attempt, base, cap) <= cap);
    }

    #[test]
    fn jitter_stays_within_its_fraction(millis in 0_u64..1_000_000_000, random: u64) {
        let exact = Duration::from_millis(millis);
        let moved = jittered(exact, 0.1, random);
        prop_assert!(moved.abs_diff(exact) <= exact / 10 + Duration::from_micros(1));
    }

    #[test]
    fn jitter_of_any_duration_is_a_duration(
        duration: Duration,
        fraction: f64,
        random: u64,
    ) {
        prop_assert!(jittered(duration, fraction, random) <= duration.saturating_mul(2));
    }
}

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::start;
use crate::rules::server_clock::ServerClock;
use crate::rules::store_time::StoreTime;

/// When the server's clock is at, once `start` is.
const EPOCH: Duration = Duration::from_hours(500_000);

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The second a `Date` header names at that time.
fn date(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs())
}

/// An answer made at `made` after `start` by a server in step with this process.
fn answer(clock: &mut ServerClock, start: Instant, sent: u64, made: u64, received: u64) {
    clock.answered(
        start + millis(sent),
        start + millis(received),
        date(EPOCH + millis(made)),
    );
}

fn at(clock: &ServerClock, now: Instant) -> StoreTime {
    clock.at(now).expect("an answer told the time")
}

fn epoch_plus(count: u64) -> u64 {
    1_800_000_000_000 + count
}

#[test]
fn nothing_is_known_before_the_first_answer() {
    assert_eq!(ServerClock::default().at(start()), None);
}

#[test]
fn one_answer_tells_the_time_to_a_second_and_the_time_it_took() {
    let (mut clock, start) = (ServerClock::default(), start());
    answer(&mut clock, start, 0, 20, 40);
    let known = at(&clock, start + millis(40));
    assert_eq!(known.earliest, epoch_plus(0));
    assert_eq!(known.latest, epoch_plus(1_040));
}

#[test]
fn answers_on_either_side_of_a_second_tell_the_time_to_milliseconds() {
    let (mut clock, start) = (ServerClock::default(), start());
    answer(&mut clock, start, 980, 990, 1_000);
    answer(&mut clock, start, 1_000, 1_010, 1_020);
    let known = at(&clock, start + millis(1_020));
    assert_eq!(known.earliest, epoch_plus(1_000));
    // The first answer's second was not over when it was made, 10 ms before it was received.
    assert_eq!(known.latest, epoch_plus(1_041));
}

#[test]
fn what_is_known_grows_old_with_the_drift_of_the_clocks() {
    let (mut clock, start) = (ServerClock::default(), start());
    answer(&mut clock, start, 0, 0, 0);
    let later = at(&clock, start + Duration::from_secs(100));
    assert_eq!(later.earliest, epoch_plus(100_000 - 100));
    assert_eq!(later.latest, epoch_plus(101_000 + 100));
}

#[test]
fn an_answer_that_contradicts_the_ones_before_starts_over() {
    let (mut clock, start) = (ServerClock::default(), start());
    answer(&mut clock, start, 0, 0, 0);
    for shift in [15_000, 3_000] {
        let now = start + millis(10);
        clock.answered(now, now, date(EPOCH + millis(shift)));
        let known = at(&clock, now);
        assert_eq!(known.earliest, epoch_plus(shift));
        assert_eq!(known.latest, epoch_plus(shift + 1_000));
    }
}

proptest! {
    #[test]
    fn the_servers_time_is_always_within_what_is_known(
        ahead in 0..2_000_u64,
        // In millionths, either way.
        drift in -800..800_i64,
        answers in proptest::collection::vec((0..20_000_u64, 0..3_000_u64, 0..3_000_u64), 1..60),
        pause in 0..100_000_u64,
    ) {
        let start = start();
        let server = |elapsed: u64| {
            let drifted = i64::try_from(elapsed).expect("short") * drift / 1_000_000;
            (EPOCH + millis(ahead + elapsed)).saturating_sub(millis(2_000))
                + millis(u64::try_from(2_000 + drifted).expect("within the drift of the test"))
        };
        let mut clock = ServerClock::default();
        let mut now = 0;
        let holds = |clock: &ServerClock, now: u64| {
            let known = at(clock, start + millis(now));
            let there = u64::try_from(server(now).as_millis()).expect("short");
            known.earliest <= there && there <= known.latest
        };
        for (pause, way, back) in answers {
            let sent = now + pause;
            let made = sent + way;
            now = made + back;
            clock.answered(start + millis(sent), start + millis(now), date(server(made)));
            prop_assert!(holds(&clock, now));
        }
        prop_assert!(holds(&clock, now + pause));
    }

    #[test]
    fn answers_once_a_second_tell_the_time_to_a_tenth_of_it(phase in 0..1_000_u64) {
        let (mut clock, start) = (ServerClock::default(), start());
        let mut now = 0;
        for turn in 0..120 {
            now = 1_000 * turn + (phase + 613 * turn) % 1_000;
            answer(&mut clock, start, now, now + 2, now + 4);
        }
        let known = at(&clock, start + millis(now + 4));
        prop_assert!(known.latest - known.earliest <= 100, "{known:?}");
    }
}

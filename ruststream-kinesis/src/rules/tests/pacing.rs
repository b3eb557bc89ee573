use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;

use super::start;
use crate::rules::pacing::{LONGEST_PAGE_PENALTY, Pacing, READS_PER_SECOND};

const POLL: Duration = Duration::from_secs(1);
const SECOND: Duration = Duration::from_secs(1);
const MIB: u64 = 1024 * 1024;

/// Reads at once and gets a page at once.
fn read(pacing: &mut Pacing, now: Instant, bytes: u64, behind: bool) -> Duration {
    pacing.read_started(now);
    pacing.page(now, bytes, behind);
    pacing.next_read(now) - now
}

/// Reads at once and is throttled at once.
fn throttle(pacing: &mut Pacing, now: Instant, random: u64) -> Duration {
    pacing.read_started(now);
    pacing.throttled(now, random);
    pacing.next_read(now) - now
}

#[test]
fn a_new_shard_is_read_at_once() {
    let now = start();
    assert_eq!(Pacing::new(POLL).next_read(now), now);
}

#[test]
fn there_is_no_pause_while_the_page_says_it_is_behind() {
    let mut pacing = Pacing::new(POLL);
    let now = start();
    for _ in 1..READS_PER_SECOND {
        assert_eq!(read(&mut pacing, now, 0, true), Duration::ZERO);
    }
}

#[test]
fn near_the_tip_the_poll_interval_runs_from_read_to_read() {
    let mut pacing = Pacing::new(POLL);
    let sent = start();
    pacing.read_started(sent);
    pacing.page(sent + POLL / 4, 0, false);
    assert_eq!(pacing.next_read(sent + POLL / 4), sent + POLL);
}

#[test]
fn the_sixth_read_of_a_second_waits_for_the_first_to_leave_it() {
    let mut pacing = Pacing::new(Duration::ZERO);
    let now = start();
    for _ in 1..READS_PER_SECOND {
        read(&mut pacing, now, 0, true);
    }
    assert!(read(&mut pacing, now, 0, true) >= SECOND);
}

#[test]
fn a_poll_interval_of_nothing_keeps_to_five_reads_a_second() {
    let mut pacing = Pacing::new(Duration::ZERO);
    let begin = start();
    let mut now = begin;
    let mut reads = 0;
    while now < begin + SECOND {
        now += read(&mut pacing, now, 0, false);
        reads += 1;
    }
    assert_eq!(reads, READS_PER_SECOND);
}

#[test]
fn a_full_page_waits_out_its_penalty() {
    let mut pacing = Pacing::new(POLL);
    assert_eq!(
        read(&mut pacing, start(), 10 * MIB, true),
        LONGEST_PAGE_PENALTY
    );
}

#[test]
fn pages_past_the_first_ten_mebibytes_pay_at_the_shards_bandwidth() {
    let mut pacing = Pacing::new(POLL);
    let mut now = start();
    for _ in 0..4 {
        assert_eq!(read(&mut pacing, now, 2 * MIB, true), Duration::ZERO);
    }
    // The fifth spends the rest; what it waits for its second is saved again.
    let waited = read(&mut pacing, now, 2 * MIB, true);
    now += waited;
    assert_eq!(read(&mut pacing, now, 6 * MIB, true) + waited, 3 * SECOND);
}

#[test]
fn no_page_costs_more_than_a_full_one() {
    let mut pacing = Pacing::new(POLL);
    assert_eq!(
        read(&mut pacing, start(), u64::MAX, true),
        LONGEST_PAGE_PENALTY
    );
}

#[test]
fn the_first_throttle_waits_at_least_one_poll_interval() {
    let now = start();
    assert_eq!(throttle(&mut Pacing::new(POLL), now, 0), POLL);
    assert_eq!(throttle(&mut Pacing::new(POLL), now, u64::MAX), 2 * POLL);
}

#[test]
fn a_throttle_that_repeats_waits_longer_up_to_ten_seconds() {
    let mut pacing = Pacing::new(POLL);
    let mut now = start();
    let mut waits = Vec::new();
    for _ in 0..6 {
        let wait = throttle(&mut pacing, now, u64::MAX);
        waits.push(wait.as_secs());
        now += wait;
    }
    assert_eq!(waits, [2, 4, 8, 10, 10, 10]);
}

#[test]
fn a_throttle_honours_a_poll_interval_longer_than_the_cap() {
    let minute = Duration::from_mins(1);
    let mut pacing = Pacing::new(minute);
    for random in [0, u64::MAX] {
        assert_eq!(throttle(&mut pacing, start(), random), minute);
    }
}

#[test]
fn a_throttle_under_a_tiny_poll_interval_still_waits() {
    let mut pacing = Pacing::new(Duration::ZERO);
    assert!(throttle(&mut pacing, start(), 0) >= Duration::from_millis(200));
}

#[test]
fn a_page_ends_the_streak() {
    let mut pacing = Pacing::new(POLL);
    let mut now = start();
    for _ in 0..4 {
        now += throttle(&mut pacing, now, u64::MAX);
    }
    now += read(&mut pacing, now, 0, true);
    assert_eq!(throttle(&mut pacing, now, 0), POLL);
}

#[test]
fn a_reposition_ends_the_idle_pause_but_not_the_services_limits() {
    let now = start();
    let mut pacing = Pacing::new(Duration::from_mins(1));
    read(&mut pacing, now, 0, false);
    pacing.repositioned();
    assert_eq!(pacing.next_read(now), now);

    read(&mut pacing, now, 10 * MIB, false);
    pacing.repositioned();
    assert_eq!(pacing.next_read(now), now + LONGEST_PAGE_PENALTY);
}

#[derive(Debug, Clone)]
struct Read {
    late: u64,
    took: u64,
    reached_after: u64,
    answer: Answer,
}

#[derive(Debug, Clone)]
enum Answer {
    Page { bytes: u64, behind: bool },
    Throttled(u64),
    Repositioned,
}

fn reads() -> impl Strategy<Value = Read> {
    let answer = prop_oneof![
        8 => (0..MIB / 4, prop::bool::weighted(0.8))
            .prop_map(|(bytes, behind)| Answer::Page { bytes, behind }),
        1 => any::<u64>().prop_map(Answer::Throttled),
        1 => Just(Answer::Repositioned),
    ];
    let late = prop_oneof![4 => Just(0), 1 => 0_u64..700];
    (late, 0_u64..600, 0_u64..=100, answer).prop_map(|(late, took, percent, answer)| Read {
        late,
        took,
        reached_after: took * percent / 100,
        answer,
    })
}

proptest! {
    #[test]
    fn no_sliding_second_ever_sees_more_than_five_reads(
        poll in 0_u64..400,
        reads in vec(reads(), 1..120),
    ) {
        let mut pacing = Pacing::new(Duration::from_millis(poll));
        let mut now = start();
        let mut sent = Vec::new();
        let mut reached = Vec::new();
        for read in reads {
            now = pacing.next_read(now) + Duration::from_millis(read.late);
            pacing.read_started(now);
            sent.push(now);
            // The service counts the read somewhere between its sending and its answer.
            reached.push(now + Duration::from_millis(read.reached_after));
            now += Duration::from_millis(read.took);
            match read.answer {
                Answer::Page { bytes, behind } => pacing.page(now, bytes, behind),
                Answer::Throttled(random) => pacing.throttled(now, random),
                Answer::Repositioned => {
                    pacing.page(now, 0, false);
                    pacing.repositioned();
                }
            }
            prop_assert!(pacing.next_read(now) >= now);
        }
        for instants in [sent, reached] {
            for six in instants.windows(READS_PER_SECOND + 1) {
                prop_assert!(six[READS_PER_SECOND] - six[0] > SECOND);
            }
        }
    }

    #[test]
    fn a_replay_never_takes_more_than_one_full_page_ahead_of_the_shards_bandwidth(
        pages in vec(0..=10 * MIB, 2..40),
    ) {
        let mut pacing = Pacing::new(POLL);
        let begin = start();
        let mut now = begin;
        let mut total = 0;
        for bytes in pages {
            total += bytes;
            now += read(&mut pacing, now, bytes, true);
        }
        // What an idle shard saved is spent first; each page rounds its nanoseconds down.
        let paid = total.saturating_sub(10 * MIB);
        let shortest = Duration::from_nanos(paid * 1_000_000_000 / (2 * MIB));
        prop_assert!(now - begin + Duration::from_micros(1) >= shortest);
    }

    #[test]
    fn a_throttle_waits_a_poll_interval_and_never_past_the_cap(
        poll in 0_u64..20_000,
        randoms in vec(any::<u64>(), 1..12),
    ) {
        let poll = Duration::from_millis(poll);
        let mut pacing = Pacing::new(poll);
        let mut now = start();
        for random in randoms {
            let wait = throttle(&mut pacing, now, random);
            prop_assert!(wait >= poll);
            prop_assert!(wait <= poll.max(Duration::from_secs(10)));
            now += wait;
        }
    }
}

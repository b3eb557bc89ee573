use std::time::Duration;

use super::start;
use crate::rules::lease::{Action, Term};

const LEASE: Duration = Duration::from_secs(10);
const RENEW: Duration = Duration::from_secs(3);

#[test]
fn a_lease_lasts_ten_seconds_and_is_renewed_every_three() {
    let asked = start();
    let mut term = Term::new(LEASE, RENEW, asked);
    assert_eq!(term.action(asked), Action::Wait(asked + RENEW));
    assert_eq!(term.action(asked + RENEW), Action::Renew);
    term.renewed(asked + RENEW);
    assert_eq!(term.valid_until(), asked + RENEW + LEASE);
    assert_eq!(
        term.action(asked + RENEW),
        Action::Wait(asked + RENEW + RENEW)
    );
}

#[test]
fn a_failed_renewal_is_tried_again_while_the_lease_is_certainly_valid() {
    let asked = start();
    let mut term = Term::new(LEASE, RENEW, asked);
    let mut now = asked + RENEW;
    let mut attempts = 0;
    while term.action(now) != Action::Lost {
        match term.action(now) {
            Action::Renew => {
                attempts += 1;
                term.failed(now, u64::MAX);
            }
            Action::Wait(until) => now = until,
            Action::Lost => {}
        }
    }
    assert!(attempts >= 3, "{attempts}");
    assert_eq!(term.valid_until(), asked + LEASE);
}

#[test]
fn a_lease_no_renewal_confirmed_is_lost_at_its_end() {
    let asked = start();
    let term = Term::new(LEASE, RENEW, asked);
    assert_eq!(term.action(asked + LEASE), Action::Lost);
}

#[test]
fn a_lease_counts_from_when_its_call_was_sent() {
    let asked = start();
    let mut term = Term::new(LEASE, RENEW, asked);
    // The answer may take as long as it likes: the store counted from some time in between.
    term.renewed(asked + Duration::from_secs(1));
    assert_eq!(term.valid_until(), asked + Duration::from_secs(11));
}

#[test]
fn a_retry_meant_for_after_the_end_does_not_sleep_through_it() {
    let asked = start();
    let mut term = Term::new(LEASE, RENEW, asked);
    let late = asked + LEASE.mul_f64(0.97);
    for _ in 0..10 {
        term.failed(late, u64::MAX);
    }
    assert_eq!(term.action(late), Action::Wait(term.valid_until()));
    assert_eq!(term.action(term.valid_until()), Action::Lost);
}

#[test]
fn a_renewal_waits_for_the_writer_before_it_while_half_the_lease_is_left() {
    let asked = start();
    let mut term = Term::new(LEASE, RENEW, asked);
    assert_eq!(term.renew_by(), asked + LEASE / 2);
    term.failed(asked + LEASE, u64::MAX);
    assert_eq!(term.renew_by(), term.valid_until());
}

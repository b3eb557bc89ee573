//! Where the tests of an endpoint that is named run, and what becomes of them where it does not
//! answer.

use std::process::{Command, Output};

use kinesis_stack::{KinesisStack, On};
use tests::live::{ENDPOINT, REQUIRE_LIVE};

const NOBODY: &str = "http://127.0.0.1:1";

/// One test of each fixture that takes the environment's endpoint.
const TESTS: &[&str] = &[
    "positions::latest_is_what_is_published_after",
    #[cfg(feature = "testing")]
    "conformance::a_shutdown_flushes_what_was_handed_over_before_it",
];

/// Runs that test in a process of its own.
fn run(test: &str, endpoint: &str, required: bool) -> Output {
    let this = std::env::current_exe().expect("a test has an executable");
    let mut alone = Command::new(this);
    alone.args(["--exact", test]).env(ENDPOINT, endpoint);
    if required {
        alone.env(REQUIRE_LIVE, "1");
    } else {
        alone.env_remove(REQUIRE_LIVE);
    }
    alone.output().expect("the test runs")
}

fn assert_says_why(said: &[u8], test: &str) {
    let said = String::from_utf8_lossy(said);
    for part in [test, ENDPOINT, NOBODY] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_test_of_an_endpoint_that_answers_runs_there() {
    for test in TESTS {
        let stack = KinesisStack::start();
        let ran = run(test, stack.endpoint(), true);
        assert!(ran.status.success(), "{ran:?}");
        let created = On::operation("CreateStream");
        assert!(stack.calls().count(&created) > 0, "{test}");
    }
}

#[test]
fn without_the_requirement_a_test_of_an_endpoint_that_does_not_answer_is_skipped_aloud() {
    for test in TESTS {
        let ran = run(test, NOBODY, false);
        assert!(ran.status.success(), "{ran:?}");
        assert_says_why(&ran.stderr, test);
    }
}

#[test]
fn with_the_requirement_a_test_of_an_endpoint_that_does_not_answer_fails() {
    for test in TESTS {
        let ran = run(test, NOBODY, true);
        assert!(!ran.status.success(), "{ran:?}");
        assert_says_why(&ran.stdout, test);
    }
}

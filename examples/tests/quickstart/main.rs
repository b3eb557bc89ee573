//! The programs, run as a user runs them.

#[cfg(feature = "dynamodb-lease")]
mod leases;
mod program;
mod services;

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use kinesis_stack::{Fault, KinesisStack, On};

use self::program::{Program, wait_until};

/// Every order, its receipt and the lag's end, whatever the shards' turn.
#[track_caller]
fn assert_whole(output: &str) {
    for id in 1..=12 {
        for line in [
            format!("order   {id:>2}  handled, shard "),
            format!("receipt {id:>2}  written, shard "),
        ] {
            let found = output.lines().find(|shown| shown.starts_with(&line));
            let found = found.unwrap_or_else(|| panic!("no '{line}' in:\n{output}"));
            let sequence = found.rsplit(' ').next().unwrap_or_default();
            let digits = sequence.bytes().all(|byte| byte.is_ascii_digit());
            assert!(digits && sequence.len() > 40, "{found}");
        }
    }
    for shard in 0..4 {
        let line = format!("handled, shard {shard},");
        assert!(output.contains(&line), "no '{line}' in:\n{output}");
    }
    let lag: Vec<_> = output
        .lines()
        .filter(|line| line.starts_with("lag "))
        .collect();
    assert!(lag.len() > 1, "the lag is not seen falling:\n{output}");
    assert_eq!(lag.last(), Some(&"lag          0 unsettled, 0 ms behind"));
}

/// The names of the streams the calls of `operation` were about, sorted.
fn streams(stack: &KinesisStack, operation: &str) -> Vec<String> {
    let calls = stack.calls().selected(&On::operation(operation));
    let mut streams: Vec<_> = calls.into_iter().filter_map(|call| call.resource).collect();
    streams.sort();
    streams.dedup();
    streams
}

/// Both streams were created, and both deleted.
#[track_caller]
fn assert_deleted(stack: &KinesisStack) {
    let created = streams(stack, "CreateStream");
    assert_eq!(created.len(), 2, "{created:?}");
    assert_eq!(streams(stack, "DeleteStream"), created);
}

#[test]
fn the_embedded_run_shows_every_order_and_receipt() {
    let ended = Program::new(&[]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.errors, "");
    assert_whole(&ended.output);
    assert!(
        ended
            .output
            .ends_with("deleted     orders\ndeleted     receipts\n")
    );
}

#[test]
fn two_runs_at_an_endpoint_share_no_stream() {
    let stack = KinesisStack::start();
    for _ in 0..2 {
        let ended = Program::new(&["--endpoint", stack.endpoint()]).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_whole(&ended.output);
    }
    let created = streams(&stack, "CreateStream");
    assert_eq!(created.len(), 4, "{created:?}");
    assert_eq!(streams(&stack, "DeleteStream"), created);
}

#[test]
fn aws_says_first_what_it_creates() {
    let stack = KinesisStack::builder()
        .create_delay(Duration::from_secs(1))
        .start();
    let ended = Program::new(&["--aws"])
        .env("AWS_ENDPOINT_URL", stack.endpoint())
        .env("AWS_REGION", "eu-west-1")
        .env("AWS_ACCESS_KEY_ID", "test")
        .env("AWS_SECRET_ACCESS_KEY", "test")
        .run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_whole(&ended.output);
    let (before, _) = ended.output.split_once("published").unwrap_or_default();
    for said in [
        "region eu-west-1",
        "-orders, 4 shards",
        "-receipts, 1 shard",
        "USD",
    ] {
        assert!(before.contains(said), "no '{said}' in:\n{before}");
    }
    for stream in streams(&stack, "CreateStream") {
        assert!(before.contains(&stream), "no '{stream}' in:\n{before}");
    }
    assert_deleted(&stack);
}

#[test]
fn aws_needs_a_region() {
    let ended = Program::new(&["--aws"]).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.errors.contains("AWS_REGION"), "{ended:?}");
}

#[test]
fn an_error_leaves_no_stream() {
    let stack = KinesisStack::start();
    let refused = Fault::error(400, "AccessDeniedException", "not this one");
    stack.faults().always(On::operation("PutRecord"), refused);
    let ended = Program::new(&["--endpoint", stack.endpoint()]).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.errors.contains("not this one"), "{ended:?}");
    assert_deleted(&stack);
}

/// What differs from run to run: the port, the sequence numbers, the lag on the way and the lines'
/// order.
fn comparable(output: &str) -> Vec<String> {
    let mut lines: Vec<_> = output
        .lines()
        .filter(|line| !line.starts_with("lag ") || line.contains(" 0 unsettled"))
        .map(|line| {
            line.split_inclusive([' ', ':'])
                .map(|word| {
                    if word.parse::<f64>().is_ok_and(|number| number > 999.0) {
                        "N"
                    } else {
                        word
                    }
                })
                .collect::<String>()
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn the_readme_shows_what_it_prints() {
    let readme = include_str!("../../../README.md");
    let shown = readme
        .split("```")
        .find_map(|block| block.strip_prefix("text\n$ cargo run --example quickstart\n"))
        .expect("the README opens with a run of the quickstart");
    let ended = Program::new(&[]).run();
    assert_eq!(comparable(&ended.output), comparable(shown));
}

/// Nobody reads the output, so the first line of the service panics.
#[test]
fn a_panic_leaves_no_stream() {
    let stack = KinesisStack::start();
    let mut program = Program::new(&["--endpoint", stack.endpoint()]).start();
    wait_until(|| stack.calls().count(&On::operation("CreateStream")) == 2);
    program.stop_reading();
    let ended = program.wait();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.errors.contains("panicked"), "{ended:?}");
    assert_deleted(&stack);
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_stream() {
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131)] {
        let stack = KinesisStack::start();
        let program = Program::new(&["--endpoint", stack.endpoint()]).start();
        wait_until(|| stack.calls().count(&On::operation("PutRecord")) > 2);
        program.signal(signal);
        let ended = program.wait();
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.errors.contains(signal), "{ended:?}");
        assert_deleted(&stack);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_stream_that_is_being_created() {
    let stack = KinesisStack::builder()
        .create_delay(Duration::from_secs(2))
        .start();
    let program = Program::new(&["--endpoint", stack.endpoint()]).start();
    wait_until(|| stack.calls().count(&On::operation("CreateStream")) > 0);
    program.signal("TERM");
    let ended = program.wait();
    assert_eq!(ended.code, Some(143), "{ended:?}");
    assert_eq!(stack.calls().count(&On::operation("PutRecord")), 0);
    assert_deleted(&stack);
}

#[test]
fn an_error_names_the_endpoint_nobody_answers_at() {
    // Taken and given back, so that nobody listens there.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .expect("loopback has a free port")
        .port();
    let endpoint = format!("http://127.0.0.1:{port}");
    let ended = Program::new(&["--endpoint", &endpoint]).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.errors.contains(&endpoint), "{ended:?}");
    assert_eq!(ended.errors.lines().count(), 1, "{ended:?}");
}

#[test]
fn a_wrong_command_line_shows_the_right_one() {
    for wrong in [
        &["--fast"][..],
        &["--aws", "--fast"],
        &["--endpoint"],
        &["--endpoint", "localhost"],
    ] {
        let ended = Program::new(wrong).run();
        assert_eq!(ended.code, Some(2), "{wrong:?}: {ended:?}");
        assert!(ended.errors.contains("usage:"), "{wrong:?}: {ended:?}");
    }
    let ended = Program::new(&["--help"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.output.contains("--endpoint URL"));
}

//! What only the process shows of the examples by topic, each with its twin: what it prints, what
//! it reads of the environment and what a signal does.

use std::fs;
use std::path::PathBuf;
#[cfg(unix)]
use std::thread;

#[cfg(all(unix, feature = "dynamodb-lease"))]
use kinesis_stack::{DynamoStack, Fault};
use kinesis_stack::{KinesisStack, On};

use crate::program::{Ended, Program};
#[cfg(unix)]
use crate::program::{Fed, wait_until};

fn both(topic: &str) -> [Program; 2] {
    [topic.to_owned(), format!("manual_{topic}")].map(|name| Program::example(&name, &[]))
}

/// That program, against the stack.
fn at(stack: &KinesisStack, program: Program) -> Program {
    program
        .env("AWS_ENDPOINT_URL", stack.endpoint())
        .env("AWS_REGION", "eu-west-1")
        .env("AWS_ACCESS_KEY_ID", "test")
        .env("AWS_SECRET_ACCESS_KEY", "test")
}

#[track_caller]
fn assert_ended(ended: &Ended, code: i32, errors: &[&str]) {
    assert_eq!(ended.code, Some(code), "{ended:?}");
    for said in errors {
        assert!(ended.errors.contains(said), "no '{said}' in {ended:?}");
    }
}

#[test]
fn a_service_without_a_region_ends_with_advice() {
    for program in both("kinesis_broker_errors") {
        let said = ["error: ", "AWS_REGION", "\nadvice: the deployment has to"];
        assert_ended(&program.run(), 1, &said);
    }
}

#[test]
fn a_service_without_its_stream_ends_with_advice() {
    for program in both("kinesis_broker_errors") {
        let stack = KinesisStack::start();
        let said = ["error: ", "stream 'orders'", "\nadvice: create 'orders'"];
        assert_ended(&at(&stack, program).run(), 1, &said);
    }
}

/// A file of the shared AWS files that goes away with the test.
struct Shared(PathBuf);

impl Shared {
    fn with(name: &str, text: &str) -> Self {
        let name = format!("kinesis-examples-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).expect("the temporary directory takes files");
        Self(path)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Left behind, it says nothing that matters.
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn a_service_takes_the_keys_of_the_profile_it_names() {
    for program in both("kinesis_broker_credentials") {
        let stack = KinesisStack::start();
        // Without its profile there is neither a region nor an endpoint here.
        let profile = format!(
            "[profile orders]\nregion = eu-west-1\nendpoint_url = {}\n\
             aws_access_key_id = test\naws_secret_access_key = test\n",
            stack.endpoint()
        );
        let config = Shared::with("config", &profile);
        let path = config.0.to_str().expect("the path is text");
        let ended = program.env("AWS_CONFIG_FILE", path).run();
        // The stack is reached, and has no stream.
        assert_ended(&ended, 1, &["ResourceNotFoundException"]);
        assert!(stack.calls().count(&On::any()) > 0);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_stops_a_service_gracefully() {
    for (topic, last) in [
        (
            "kinesis_broker_shutdown",
            "stopping: no new order is begun\nstopped: no lease is held any more\n",
        ),
        (
            "kinesis_leases_key",
            "orders:shardId-000000000000  no checkpoint yet\n\
             refunds:shardId-000000000000  no checkpoint yet\n",
        ),
    ] {
        for program in both(topic) {
            let stack = KinesisStack::builder().streams_on_use(2).start();
            let running = at(&stack, program).start();
            // It listens for signals once it has started; then it reads.
            wait_until(|| stack.calls().count(&On::operation("GetRecords")) > 2);
            running.signal("TERM");
            let ended = running.wait();
            assert_ended(&ended, 0, &[]);
            assert_eq!(ended.output, last, "{topic}");
        }
    }
}

#[cfg(all(unix, feature = "dynamodb-lease"))]
#[test]
fn a_service_that_reports_stops_gracefully_and_tells_what_it_logs() {
    for program in both("kinesis_production") {
        let stack = KinesisStack::builder().streams_on_use(2).start();
        let table = DynamoStack::start();
        let program = at(&stack, program).env("AWS_ENDPOINT_URL_DYNAMODB", table.endpoint());
        let mut running = program.start();
        let first = running.line();
        assert!(first.starts_with("running=true shards=2 "), "{first}");
        running.signal("TERM");
        assert_ended(&running.wait(), 0, &["service stopped"]);
    }
}

#[cfg(all(unix, feature = "dynamodb-lease"))]
#[test]
fn a_signal_during_a_slow_start_stops_a_service_gracefully() {
    for program in both("kinesis_production") {
        let stack = KinesisStack::builder().streams_on_use(2).start();
        let table = DynamoStack::start();
        let slow = stack
            .faults()
            .always(On::operation("ListShards"), Fault::Hold);
        let program = at(&stack, program).env("AWS_ENDPOINT_URL_DYNAMODB", table.endpoint());
        let running = program.start();
        wait_until(|| slow.hits() > 0);
        running.signal("TERM");
        slow.remove();
        assert_ended(&running.wait(), 0, &["service stopped"]);
    }
}

/// That program with what `local` prints for a shell.
#[cfg(unix)]
fn at_local(local: &mut Fed, mut program: Program) -> Program {
    loop {
        // As a shell takes it.
        let line = local.answer();
        let words = line.split_whitespace();
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            program = program.env(name, value);
        }
        if line.contains("AWS_REGION") {
            return program;
        }
    }
}

#[cfg(unix)]
#[test]
fn a_service_starts_at_the_record_that_local_told_of() {
    for name in ["kinesis_start_at", "manual_kinesis_start_at"] {
        let mut local = Program::example("local", &[]).fed();
        let program = at_local(&mut local, Program::example(name, &[]));
        local.tell(r#"payments {"id": 7}"#);
        let told = local.answer();
        let mut running = program.args(told.split_whitespace().skip(1)).start();
        let first = running.line();
        assert!(
            first.starts_with("payment ") && first.contains('7'),
            "{first}"
        );
        running.signal("TERM");
        assert_ended(&running.wait(), 0, &[]);
    }
}

#[cfg(unix)]
#[test]
fn what_is_typed_into_local_reaches_a_service_without_an_account() {
    let topics = [
        "kinesis_leases_owner",
        #[cfg(feature = "dynamodb-lease")]
        "kinesis_leases_dynamodb",
    ];
    for program in topics.into_iter().flat_map(both) {
        let mut local = Program::example("local", &[]).fed();
        let mut service = at_local(&mut local, program).start();
        // It begins at the tip, so what is typed before it has started is not for it.
        let first = thread::scope(|scope| {
            let first = scope.spawn(|| service.line());
            while !first.is_finished() {
                local.tell(r#"orders {"id": 7}"#);
                assert!(local.answer().starts_with("orders shardId-"));
            }
            first.join().expect("the output is read")
        });
        assert_eq!(first, "got order 7\n");
        service.signal("TERM");
        assert_ended(&service.wait(), 0, &[]);
    }
}

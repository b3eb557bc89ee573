//! The framework's suites in process.

use ruststream::conformance::harness;
use ruststream_kinesis::KinesisBroker;
use tests::stand::InProcess;

tests::conformance_suites!(InProcess);

tests::conformance_suites! { InProcess =>
    a_retry_copy_reaches_the_address_a_bare_name_reports
    a_seek_to_a_record_the_shard_does_not_hold_moves_nothing
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_routes_and_counts_as_the_harness_relies_on() {
    harness::run_suite(KinesisBroker::new).await;
}

#[cfg(feature = "asyncapi")]
#[test]
fn the_document_carries_no_credentials() {
    tests::suites::the_document_carries_no_credentials();
}

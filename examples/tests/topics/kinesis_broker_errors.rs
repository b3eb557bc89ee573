//! What stops a service from starting. What the program prints, the test binary `quickstart` shows.

#[path = "../../kinesis_broker_errors.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod example;
#[path = "../../manual/kinesis_broker_errors.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use aws_config::{BehaviorVersion, SdkConfig};
use kinesis_stack::{Fault, KinesisStack, On};
use ruststream::runtime::{RustStream, RustStreamError};
use ruststream::testing::TestApp;
use ruststream_kinesis::KinesisBroker;
use serde_json::json;

use crate::embedded::{self, Tested};

type Service = fn(KinesisBroker) -> RustStream;
type Advice = fn(&RustStreamError) -> Option<String>;

const FORMS: [(&str, Service, Advice); 2] = [
    ("example", example::service, example::advice),
    ("manual", manual::service, manual::advice),
];

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (form, service, _) in FORMS {
        println!("{form}");
        let tb = TestApp::start(service(KinesisBroker::new())).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

/// What is printed, and the advice.
async fn refused(app: RustStream, advice: Advice) -> (String, Option<String>) {
    let failure = app.start().await.expect_err("it does not start");
    (failure.to_string(), advice(&failure))
}

#[tokio::test]
async fn a_missing_stream_is_named() {
    for (form, service, advice) in FORMS {
        println!("{form}");
        let stack = KinesisStack::start();
        let (error, advice) = refused(service(embedded::broker(&stack)), advice).await;
        assert!(error.contains("stream 'orders'"), "{error}");
        assert!(error.contains("ResourceNotFoundException"), "{error}");
        let advice = advice.expect("there is something to do");
        assert!(advice.contains("create 'orders'"), "{advice}");
    }
}

#[tokio::test]
async fn a_refused_call_is_not_taken_for_a_missing_stream() {
    for (form, service, advice) in FORMS {
        println!("{form}");
        let stack = embedded::stack(1);
        let refused_call = Fault::error(400, "AccessDeniedException", "not this one");
        stack.faults().always(On::any(), refused_call);
        let (error, advice) = refused(service(embedded::broker(&stack)), advice).await;
        assert!(error.contains("not this one"), "{error}");
        let advice = advice.expect("there is something to do");
        assert!(advice.contains("credentials"), "{advice}");
    }
}

#[tokio::test]
async fn a_missing_region_is_a_matter_of_the_deployment() {
    for (form, service, advice) in FORMS {
        println!("{form}");
        let nothing = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .build();
        let broker = KinesisBroker::from_config(nothing);
        let (error, advice) = refused(service(broker), advice).await;
        assert!(error.contains("AWS_REGION"), "{error}");
        let advice = advice.expect("there is something to do");
        assert!(advice.contains("name a region"), "{advice}");
    }
}

#[tokio::test]
async fn a_setting_no_service_would_take_is_a_matter_of_the_program() {
    for (form, service, advice) in FORMS {
        println!("{form}");
        let stack = embedded::stack(1);
        let broker = embedded::broker(&stack).max_leases(0);
        let (error, advice) = refused(service(broker), advice).await;
        assert!(error.contains("max_leases"), "{error}");
        let advice = advice.expect("there is something to do");
        assert!(advice.contains("program"), "{advice}");
    }
}

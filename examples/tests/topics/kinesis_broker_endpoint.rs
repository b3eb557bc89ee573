//! A local stack instead of an account.

#[path = "../../kinesis_broker_endpoint.rs"]
mod example;
#[path = "../../manual/kinesis_broker_endpoint.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use kinesis_stack::{KinesisStack, On};
use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::KinesisBroker;
use serde_json::json;

use crate::embedded::Tested;

type App = fn() -> RustStream;
type Service = fn(&str) -> RustStream;

const FORMS: [(&str, App, Service); 2] = [
    ("example", example::app, example::service),
    ("manual", manual::app, manual::service),
];

#[tokio::test]
async fn an_order_is_handled() -> Tested {
    for (form, app, _) in FORMS {
        println!("{form}");
        let tb = TestApp::start(app()).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_empty_stack_needs_no_account_and_no_stream() -> Tested {
    for (form, _, service) in FORMS {
        println!("{form}");
        let stack = KinesisStack::start();
        let tb = TestApp::start_live(service(stack.endpoint())).await?;
        assert_eq!(stack.calls().count(&On::operation("CreateStream")), 1);
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        broker.subscriber("orders").assert_called_once();
        tb.shutdown().await?;
    }
    Ok(())
}

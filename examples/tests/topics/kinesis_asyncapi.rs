//! The generated document.

#[path = "../../kinesis_asyncapi.rs"]
mod example;
#[path = "../../manual/kinesis_asyncapi.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use ruststream::asyncapi::build_spec;
use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::KinesisBroker;
use serde_json::{Value, json};

use crate::embedded::Tested;

type App = fn() -> RustStream;

const FORMS: [(&str, App); 2] = [("example", example::app), ("manual", manual::app)];

#[tokio::test]
async fn an_order_is_confirmed() -> Tested {
    for (form, app) in FORMS {
        println!("{form}");
        let tb = TestApp::start(app()).await?;
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("orders", &json!({"id": 7})).await?;
        let receipts = broker.published::<Value>("receipts");
        receipts.assert_called_once().with(&json!({"order": 7}));
        tb.shutdown().await?;
    }
    Ok(())
}

#[test]
fn the_document_says_what_only_this_broker_knows() -> Tested {
    for (form, app) in FORMS {
        println!("{form}");
        let document: Value = serde_json::from_str(&build_spec(&app()).to_json()?)?;
        let channels = &document["channels"];
        assert_eq!(
            channels["orders"]["bindings"]["x-ruststream-kinesis"],
            json!({"stream": "orders", "pollIntervalMs": 500, "shardCount": 2})
        );
        assert_eq!(channels["receipts"]["address"], "receipts");
        let messages = &document["components"]["messages"];
        assert_eq!(
            messages["Receipt"]["bindings"]["x-ruststream-kinesis"],
            json!({"partitionKey": "tenant-acme"})
        );
        let server = &document["servers"]["kinesis"];
        assert_eq!(server["host"], "kinesis.eu-west-1.amazonaws.com");
    }
    Ok(())
}

#[test]
fn both_forms_have_one_document() -> Tested {
    let [example, manual] = FORMS.map(|(_, app)| build_spec(&app()).to_json());
    assert_eq!(example?, manual?);
    Ok(())
}

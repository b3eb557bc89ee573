//! Leases in the process's memory.

#[path = "../../kinesis_leases_memory.rs"]
mod example;
#[path = "../../manual/kinesis_leases_memory.rs"]
#[expect(dead_code, reason = "its `main` is the program's")]
mod manual;

use ruststream::runtime::RustStream;
use ruststream::testing::TestApp;
use ruststream_kinesis::KinesisBroker;
use serde_json::json;

use crate::embedded::{self, Tested, received, until};

type Service = fn(KinesisBroker) -> RustStream;

const FORMS: [(&str, Service); 2] = [("example", example::service), ("manual", manual::service)];

#[tokio::test]
async fn a_level_is_set() -> Tested {
    for (form, app) in [
        ("example", example::app as fn() -> RustStream),
        ("manual", manual::app),
    ] {
        println!("{form}");
        let tb = TestApp::start(app()).await?;
        let level = json!({"article": "lamp", "pieces": 3});
        let broker = tb.broker::<KinesisBroker>();
        broker.publish("inventory", &level).await?;
        broker
            .subscriber("inventory")
            .assert_called_once()
            .with(&level);
        tb.shutdown().await?;
    }
    Ok(())
}

#[tokio::test]
async fn after_a_restart_the_stream_is_read_again() -> Tested {
    for (form, service) in FORMS {
        println!("{form}");
        let stack = embedded::stack(1);
        let levels = [3, 2].map(|pieces| json!({"article": "lamp", "pieces": pieces}));

        let first = TestApp::start_live(service(embedded::broker(&stack))).await?;
        for level in &levels {
            let broker = first.broker::<KinesisBroker>();
            broker.publish("inventory", level).await?;
        }
        assert_eq!(received(&first, "inventory"), levels);
        first.shutdown().await?;

        // The new process's memory is empty, so both are there again.
        let second = TestApp::start_live(service(embedded::broker(&stack))).await?;
        until(async || received(&second, "inventory").len() == levels.len()).await;
        assert_eq!(received(&second, "inventory"), levels);
        second.shutdown().await?;
    }
    Ok(())
}

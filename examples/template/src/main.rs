//! The program: where the service runs, as whom, and where its checkpoints are.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use aws_config::BehaviorVersion;
use ruststream::logging;
use ruststream_kinesis::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    // What the service logs goes to stderr; `RUST_LOG` asks for more or less of it.
    logging::init()?;
    let config = aws_config::defaults(BehaviorVersion::latest()).load().await;
    // Every instance names the same table; that is all they need to share the shards.
    let leases = DynamoLeaseStore::new(&config, "orders-leases").create_table_if_missing();
    let broker = KinesisBroker::from_config(config).lease_store(Arc::new(leases));
    // Until Ctrl-C or SIGTERM, and then gracefully.
    orders::service(broker).run().await?;
    Ok(())
}

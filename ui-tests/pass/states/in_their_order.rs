use ruststream::{Broker, ConnectedBroker};
use ruststream_kinesis::{KinesisBroker, KinesisError, KinesisStream};

async fn in_order() -> Result<(), KinesisError> {
    let connected = KinesisBroker::new().connect().await?;
    let subscriber = connected
        .subscribe_stream(KinesisStream::new("orders"))
        .await?;
    let publisher = connected.publisher();
    drop((subscriber, publisher));
    connected.shutdown().await?;
    Ok(())
}

fn main() {
    let _ = in_order();
}

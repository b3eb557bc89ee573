use ruststream::ConnectedBroker;
use ruststream_kinesis::{ConnectedKinesisBroker, KinesisStream};

async fn late(connected: ConnectedKinesisBroker) {
    let _ = connected.shutdown().await;
    let _ = connected
        .subscribe_stream(KinesisStream::new("orders"))
        .await;
}

fn main() {
    let _ = late;
}

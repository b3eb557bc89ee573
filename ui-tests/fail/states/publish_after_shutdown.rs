use ruststream::ConnectedBroker;
use ruststream_kinesis::ConnectedKinesisBroker;

async fn late(connected: ConnectedKinesisBroker) {
    let _ = connected.shutdown().await;
    let _ = connected.publisher();
}

fn main() {
    let _ = late;
}

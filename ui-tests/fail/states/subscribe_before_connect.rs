use ruststream_kinesis::{KinesisBroker, KinesisStream};

async fn early(broker: KinesisBroker) {
    let _ = broker.subscribe_stream(KinesisStream::new("orders")).await;
}

fn main() {
    let _ = early(KinesisBroker::new());
}

//! A Kinesis on loopback for the other examples, with every stream they name, and a way to feed it.
//!
//! `cargo run --example local_kinesis` prints what to export in another terminal, and publishes each
//! line that is typed into it: the name of a stream and a record, as in `orders {"id":1,"cents":250}`.

use std::error::Error;
use std::io::{BufRead, stdin};

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::{Credentials, SharedCredentialsProvider};
use aws_sdk_kinesis::primitives::Blob;
use kinesis_stack::KinesisStack;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A stream is there as soon as it is named, which the service does not do.
    let stack = KinesisStack::builder().streams_on_use(2).start();
    let credentials = Credentials::new("test", "test", None, None, "embedded");
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .endpoint_url(stack.endpoint())
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build();
    let client = Client::new(&config);
    println!(
        "export AWS_ENDPOINT_URL={} AWS_REGION=us-east-1",
        stack.endpoint()
    );
    println!("export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test");
    for (number, line) in stdin().lock().lines().enumerate() {
        let line = line?;
        let Some((stream, record)) = line.split_once(' ') else {
            eprintln!("a line is the name of a stream, a space and a record");
            continue;
        };
        let record = client
            .put_record()
            .stream_name(stream)
            .partition_key(number.to_string())
            .data(Blob::new(record));
        match record.send().await {
            Ok(written) => println!("{} {}", written.shard_id, written.sequence_number),
            Err(refused) => eprintln!("{}", refused.into_service_error()),
        }
    }
    Ok(())
}

//! A Kinesis to try the other programs with, on loopback, for as long as this one runs.
//!
//! `cargo run --example local` prints what another terminal has to set; a line `orders {"id": 7}`
//! typed here is then a record of the stream `orders`, and where it went is printed. With
//! `--features dynamodb-lease` there is a `DynamoDB` too. Every stream a program names is there,
//! with two shards, a misspelt one as well.

use std::error::Error;
use std::io::stdin;

use aws_config::BehaviorVersion;
use aws_sdk_kinesis::Client;
use aws_sdk_kinesis::config::{Builder, Credentials, Region};
use aws_sdk_kinesis::primitives::Blob;
use kinesis_stack::KinesisStack;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let kinesis = KinesisStack::builder().streams_on_use(2).start();
    println!("export AWS_ENDPOINT_URL_KINESIS={}", kinesis.endpoint());
    #[cfg(feature = "dynamodb-lease")]
    let dynamodb = kinesis_stack::DynamoStack::start();
    #[cfg(feature = "dynamodb-lease")]
    println!("export AWS_ENDPOINT_URL_DYNAMODB={}", dynamodb.endpoint());
    #[cfg(not(feature = "dynamodb-lease"))]
    println!("# no DynamoDB: add --features dynamodb-lease");
    println!("export AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local");

    let config = Builder::new()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .endpoint_url(kinesis.endpoint())
        .credentials_provider(Credentials::new("local", "local", None, None, "local"))
        .build();
    let client = Client::from_conf(config);
    // Nothing else happens here, so the lines may block. The input's end is the program's.
    for (number, line) in stdin().lines().enumerate() {
        let line = line?;
        let Some((stream, record)) = line.split_once(' ') else {
            eprintln!("a line is a stream and a record: orders {{\"id\": 7}}");
            continue;
        };
        // A key of its own for each line spreads the records over the shards.
        let put = client
            .put_record()
            .stream_name(stream)
            .partition_key(number.to_string());
        match put.data(Blob::new(record)).send().await {
            Ok(written) => {
                println!("{stream} {} {}", written.shard_id, written.sequence_number);
            }
            Err(refused) => eprintln!("{:?}", refused.into_service_error()),
        }
    }
    Ok(())
}

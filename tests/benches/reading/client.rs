//! What the readers share of reaching the server.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Outcome;

pub(crate) const STREAM: &str = "bench";
pub(crate) const ARN: &str = "arn:aws:kinesis:eu-west-1:000000000000:stream/bench";
pub(crate) const REGION: &str = "eu-west-1";

/// Answers once a read is waiting.
pub(crate) const WAITING: &str = "/waiting";
/// Lets the reads be answered.
pub(crate) const OPEN: &str = "/open";

/// Sends one control request to the server, and waits for its answer.
pub(crate) async fn control(endpoint: &str, path: &str) -> Outcome<()> {
    let address = endpoint
        .strip_prefix("http://")
        .ok_or("the server is on loopback")?;
    let mut connection = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await?;
    if answer.starts_with("HTTP/1.1 200") {
        Ok(())
    } else {
        Err(format!("the server answered {answer:?} to {path}").into())
    }
}

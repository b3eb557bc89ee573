//! What does not compile, each beside the same lines that do.

/// A connected broker that was shut down reads and writes no more.
///
/// ```
/// # use ruststream::{Broker, ConnectedBroker};
/// # use ruststream_kinesis::{KinesisBroker, KinesisError, KinesisStream};
/// # async fn ladder() -> Result<(), KinesisError> {
/// let connected = KinesisBroker::new().connect().await?;
/// connected.subscribe_stream(KinesisStream::new("orders")).await?;
/// connected.shutdown().await?;
/// # Ok(())
/// # }
/// ```
///
/// ```compile_fail
/// # use ruststream::{Broker, ConnectedBroker};
/// # use ruststream_kinesis::{KinesisBroker, KinesisError, KinesisStream};
/// # async fn ladder() -> Result<(), KinesisError> {
/// let connected = KinesisBroker::new().connect().await?;
/// connected.shutdown().await?;
/// connected.subscribe_stream(KinesisStream::new("orders")).await?;
/// # Ok(())
/// # }
/// ```
///
/// A broker that is not connected reads nothing yet.
///
/// ```compile_fail
/// # use ruststream::{Broker, ConnectedBroker};
/// # use ruststream_kinesis::{KinesisBroker, KinesisError, KinesisStream};
/// # async fn ladder() -> Result<(), KinesisError> {
/// let broker = KinesisBroker::new();
/// broker.subscribe_stream(KinesisStream::new("orders")).await?;
/// # Ok(())
/// # }
/// ```
pub struct Ladder;

/// A publisher publishes, and offers neither requests nor transactions.
///
/// ```
/// fn offers<P: ruststream::Publisher>() {}
/// offers::<ruststream_kinesis::KinesisPublisher>();
/// ```
///
/// ```compile_fail
/// fn offers<P: ruststream::RequestReply>() {}
/// offers::<ruststream_kinesis::KinesisPublisher>();
/// ```
///
/// ```compile_fail
/// fn offers<P: ruststream::TransactionalPublisher>() {}
/// offers::<ruststream_kinesis::KinesisPublisher>();
/// ```
///
/// ```compile_fail
/// fn offers<P: ruststream::OwnedTransactions>() {}
/// offers::<ruststream_kinesis::KinesisPublisher>();
/// ```
pub struct Capabilities;

//! What a delivery carries beside its payload: the header names, the contexts and their keys.

use ruststream::Positioned;
use ruststream_kinesis_macros::delivery_keys;

use crate::message::KinesisMessage;
use crate::position::KinesisPosition;
use crate::seek::KinesisSeeker;

delivery_keys! {
    message = KinesisMessage;

    headers {
        /// The header that carries a record's sequence number.
        SEQUENCE_HEADER = "kinesis-sequence-number",
        /// The header that carries the id of the shard a record was read from.
        SHARD_HEADER = "kinesis-shard-id",
        /// The header that carries a record's partition key, on a delivery and on a publish. A
        /// record written without a key has no such header.
        PARTITION_KEY_HEADER = "partition-key",
    }

    /// What one delivery carries: the record's position and the subscription's seeker.
    context KinesisContext {
        position: KinesisPosition = |message| message.position(),
        seeker: KinesisSeeker = |message| message.seeker(),
    }

    /// What one batch carries: the subscription's seeker. A batch spans many records, so it has no
    /// position; its elements' headers say where each comes from.
    batch KinesisBatchContext {
        seeker: KinesisSeeker = |first| first.seeker(),
    }

    /// The record's own position: seeking to it delivers the record again.
    key Position => KinesisContext.position: clone KinesisPosition;
    /// The subscription's seeker.
    key SeekHandle => KinesisContext.seeker: borrow KinesisSeeker, KinesisBatchContext.seeker: borrow KinesisSeeker;
}

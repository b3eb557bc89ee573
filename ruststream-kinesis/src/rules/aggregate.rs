//! Recognising records that the Kinesis Producer Library has aggregated.

/// The first bytes of every aggregated record.
///
/// Source: `aggregation-format.md` of `awslabs/amazon-kinesis-producer`.
pub(crate) const AGGREGATION_MAGIC: [u8; 4] = [0xF3, 0x89, 0x9A, 0xC2];

/// Whether `blob` opens like a record that holds several user records.
pub(crate) fn is_aggregated(blob: &[u8]) -> bool {
    blob.starts_with(&AGGREGATION_MAGIC)
}

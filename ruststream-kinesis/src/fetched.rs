//! A record on its way from a transport to its handler.

use bytes::Bytes;

/// One record as its transport has it.
pub(crate) struct Fetched<Delivery> {
    /// The record's bytes, envelope and all.
    pub(crate) data: Bytes,
    pub(crate) partition_key: Option<String>,
    pub(crate) sequence: String,
    /// What it takes to settle the record.
    pub(crate) delivery: Delivery,
}

impl<Delivery> Fetched<Delivery> {
    /// The same record, settled in another way.
    pub(crate) fn map<Other>(self, wrap: impl FnOnce(Delivery) -> Other) -> Fetched<Other> {
        Fetched {
            data: self.data,
            partition_key: self.partition_key,
            sequence: self.sequence,
            delivery: wrap(self.delivery),
        }
    }
}

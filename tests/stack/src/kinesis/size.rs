//! The size of a record.

use crate::wire::{Received, Reply};

/// Bytes of a record and its key on a stream that was not set to more (quotas page). The emulator counts the data alone.
const LARGEST: usize = 1024 * 1024;

/// The refusal of a `PutRecord` whose data and key are too large together.
pub(super) fn refused(received: &Received) -> Option<Reply> {
    let data = received.text("Data")?;
    let key = received.text("PartitionKey").unwrap_or_default();
    let size = decoded_length(data) + key.len();
    (size > LARGEST).then(|| {
        let message =
            format!("a record and its partition key are at most {LARGEST} bytes, these are {size}");
        Reply::error(400, "InvalidArgumentException", &message)
    })
}

/// The length of what base64 text stands for.
fn decoded_length(text: &str) -> usize {
    let padding = text.bytes().rev().take_while(|&byte| byte == b'=').count();
    text.len() / 4 * 3 - padding
}

//! What a partition key may be, and keys for records that name none.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most characters a partition key holds.
///
/// Source: `PutRecord` API reference, `PartitionKey`.
pub(crate) const MAX_CHARACTERS: usize = 256;

/// Checks the length of a key, counted in Unicode scalar values.
///
/// # Errors
///
/// A sentence that names the limit, when the key is empty or too long.
pub(crate) fn check(key: &str) -> Result<(), &'static str> {
    if key.is_empty() {
        return Err("a partition key has at least one character");
    }
    // A string is never shorter in bytes than in characters, so most keys need no count.
    if key.len() > MAX_CHARACTERS && key.chars().nth(MAX_CHARACTERS).is_some() {
        return Err("a partition key has at most 256 characters");
    }
    Ok(())
}

/// Keys that never repeat within a process, nor, with a random nonce, between processes.
///
/// The service hashes a key with MD5 to choose the shard, so consecutive keys spread evenly.
#[derive(Debug)]
pub(crate) struct UniqueKeys {
    nonce: u64,
    drawn: AtomicU64,
}

impl UniqueKeys {
    /// Starts a sequence of keys that all carry `nonce`.
    pub(crate) const fn new(nonce: u64) -> Self {
        Self {
            nonce,
            drawn: AtomicU64::new(0),
        }
    }

    /// The next key: the nonce and a counter, both in hexadecimal.
    pub(crate) fn next(&self) -> String {
        const LONGEST: usize = 16 + 1 + 16;
        let count = self.drawn.fetch_add(1, Ordering::Relaxed);
        let mut key = String::with_capacity(LONGEST);
        write!(key, "{:016x}-{count:x}", self.nonce).expect("writing to a string cannot fail");
        key
    }
}

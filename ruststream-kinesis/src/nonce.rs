//! Numbers no other process draws.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A number from the operating system's randomness, through the seed of the standard library's
/// hasher.
pub(crate) fn draw() -> u64 {
    RandomState::new().build_hasher().finish()
}

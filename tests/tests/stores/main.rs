//! The lease stores.

#[cfg(feature = "dynamodb-lease")]
mod dynamodb;
mod memory;

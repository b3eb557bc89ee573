//! The in-process mode: what the specification promises under "Testing", and the framework's
//! suites over it.

#![cfg(feature = "testing")]

mod apps;
mod attribute;
mod conformance;
#[cfg(feature = "asyncapi")]
mod document;
mod handles;
mod keys;
mod positions;
mod records;
mod refusals;
mod support;
mod unhandled;

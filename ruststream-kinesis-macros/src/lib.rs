//! The declarative specs behind `ruststream-kinesis`: what is regular about the crate is written
//! down once, and its code is generated from that.
//!
//! Each macro is a pipeline of three steps, one file each: `spec` keeps what was written together
//! with its spans, `model` checks it and reports every error of one input at its own token, and
//! `expand` turns a checked model into code and cannot fail. An input with errors still defines the
//! item it stands on, so nothing else in the file stops compiling because of it.
//!
//! The specs' macros know no broker: every name comes from the spec. Generated code names
//! `::ruststream`, `::core`, `::std` and, under the crate's own `asyncapi` feature, `::serde_json`.
//! The one public macro, [`macro@subscriber`], is the broker's own and has no spec.

mod check;
mod delivery_keys;
mod descriptor;
mod diagnostics;
mod docs;
mod keyed;
mod names;
mod publish_options;
mod subscriber;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Generates a subscription descriptor from the struct that lists its settings.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn descriptor(attr: TokenStream, item: TokenStream) -> TokenStream {
    descriptor::generate(attr.into(), &item.into()).into()
}

/// Generates the header names, the delivery contexts and the keys that read them.
#[doc(hidden)]
#[proc_macro]
pub fn delivery_keys(input: TokenStream) -> TokenStream {
    delivery_keys::generate(input.into()).into()
}

/// Generates the publish policy, its steps and its settings from the struct that lists the options.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn publish_options(attr: TokenStream, item: TokenStream) -> TokenStream {
    publish_options::generate(attr.into(), &item.into()).into()
}

/// Turns an `async fn` into a handler: the framework's `#[subscriber]` with this broker's keys.
///
/// Every form of the framework's attribute means what it means there and is handed to it token for
/// token. The keys below stand beside its clauses, in any order.
///
/// ```text
/// #[subscriber(stream = "orders", poll_interval = "500ms", start_at = horizon, workers(4))]
/// #[subscriber("orders", create_if_missing = 2, reply("receipts"))]
/// #[subscriber(KinesisStream::new("orders"), batch = 500, on_failure(decode = skip))]
/// ```
///
/// | Key | Value |
/// | --- | --- |
/// | `stream` | the stream's name or ARN: a string, whose grammar is checked, or an expression that converts into a `String` |
/// | `poll_interval` | `"500ms"`, `"2s"`, `"1m"`, at most a day, or an expression of type `Duration` |
/// | `create_if_missing` | a whole number from 1, or an expression of type `i32` |
/// | `checkpoint_interval` | as `poll_interval` |
/// | `memory_budget` | bytes: a whole number from 1, or an expression of type `usize` |
/// | `start_at` | `horizon`, `latest`, `timestamp(millis)`, `sequence(shard, sequence)`, or an expression of type `KinesisPosition`; it goes before a stored checkpoint |
/// | `batch` | 1 to 10000, or a constant of type `usize`; on a handler of slices only |
/// | `krate` | where this crate is, if no dependency has its name: `krate = crate::broker` |
///
/// With any of the keys, a string in front is the same as `stream = ".."`. A read setting, which is
/// each key from `poll_interval` to `memory_budget`, needs a source that is named: where the mount
/// site names it, the setting follows the name there.
///
/// What the attribute can tell is wrong is reported at the token that is wrong, all of it in one
/// compile, and the handler exists all the same. The framework drops the attributes of the function
/// below its own; with one of the keys, its docs, `#[deprecated]`, `#[must_use]` and its lint levels
/// are kept.
#[proc_macro_attribute]
pub fn subscriber(attr: TokenStream, item: TokenStream) -> TokenStream {
    subscriber::generate(&attr.into(), &item.into()).into()
}

/// The read settings the attribute has keys for, each as its name and how its value is written: an
/// array of pairs, for the test that compares it with the descriptor's.
#[doc(hidden)]
#[proc_macro]
pub fn read_settings(_: TokenStream) -> TokenStream {
    subscriber::keys::table().into()
}

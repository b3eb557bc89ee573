//! The declarative specs behind `ruststream-kinesis`: what is regular about the crate is written
//! down once, and its code is generated from that.
//!
//! Each macro is a pipeline of three steps, one file each: `spec` keeps what was written together
//! with its spans, `model` checks it and reports every error of one input at its own token, and
//! `expand` turns a checked model into code and cannot fail. An input with errors still defines the
//! item it stands on, so nothing else in the file stops compiling because of it.
//!
//! The macros know no broker: every name comes from the spec. Generated code names `::ruststream`,
//! `::core`, `::std` and, under the crate's own `asyncapi` feature, `::serde_json`.

mod check;
mod delivery_keys;
mod descriptor;
mod diagnostics;
mod docs;
mod keyed;
mod names;
mod publish_options;

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

//! `#[subscriber]`: the framework's attribute with the broker's own keys beside its clauses.
//!
//! An attribute without any of the keys is handed over token for token. With them, it becomes the
//! framework's attribute over a descriptor; and where the function carries attributes the framework
//! would drop, or a batch is sized, a definition of our own stands around the framework's.

mod clauses;
mod expand;
mod fallback;
mod handler;
pub(crate) mod keys;
mod model;
mod positions;
mod sources;
mod spec;
mod stream_name;
mod values;
mod words;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostics::Diagnostics;
use handler::Handler;
use model::Model;
use spec::Spec;

pub(crate) fn generate(attr: &TokenStream, item: &TokenStream) -> TokenStream {
    let diagnostics = Diagnostics::new();
    let spec = Spec::read(attr.clone(), &diagnostics);
    let plain = spec.keys.is_empty();
    let handler = Handler::read(item);
    let model = Model::check(spec, handler.as_ref().ok(), &diagnostics);
    if plain && diagnostics.count() == 0 {
        diagnostics.finish();
        let framework = expand::framework(attr);
        return quote!(#framework #item);
    }
    let Some(handler) = diagnostics.attempt(handler) else {
        let errors = diagnostics.finish();
        return quote!(#errors #item);
    };
    let expansion = expand::expand(&model, &handler, item);
    let errors = diagnostics.finish();
    quote!(#errors #expansion)
}

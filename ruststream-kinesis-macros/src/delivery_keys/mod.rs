//! `delivery_keys!`: the header names of a delivery, its contexts and the keys that read them.

mod expand;
mod model;
mod spec;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostics::Diagnostics;
use model::Model;
use spec::Spec;

pub(crate) fn generate(input: TokenStream) -> TokenStream {
    let diagnostics = Diagnostics::new();
    let spec = Spec::read(input, &diagnostics);
    let fallback = expand::fallback(&spec);
    let model = Model::check(spec, &diagnostics);
    match (diagnostics.finish(), model) {
        (None, Some(model)) => expand::expand(&model),
        (errors, _) => quote!(#errors #fallback),
    }
}

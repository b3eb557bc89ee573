//! `#[publish_options]`: what a single publish can set, from the struct that lists its options.
//!
//! One field is one step of the publish, one setting of the policy, one ladder and one field of the
//! document's binding.

mod expand;
mod model;
mod policy;
mod resolve;
mod spec;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostics::Diagnostics;
use model::Model;
use spec::Spec;

pub(crate) fn generate(attr: TokenStream, item: &TokenStream) -> TokenStream {
    let diagnostics = Diagnostics::new();
    let Some(spec) = Spec::read(attr, item.clone(), &diagnostics) else {
        let errors = diagnostics.finish();
        return quote!(#errors #item);
    };
    let fallback = expand::fallback(&spec);
    let model = Model::check(spec, &diagnostics);
    match (diagnostics.finish(), model) {
        (None, Some(model)) => expand::expand(&model),
        (errors, _) => quote!(#errors #fallback),
    }
}

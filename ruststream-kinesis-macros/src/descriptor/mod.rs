//! `#[descriptor]`: a subscription descriptor, from the struct that lists its settings.
//!
//! One field is one setter, one step of the mount site, one field of the document's binding and one
//! row of the settings table.

mod expand;
mod model;
mod spec;
mod stages;

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

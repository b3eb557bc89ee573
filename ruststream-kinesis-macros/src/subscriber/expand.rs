//! A checked attribute as code.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Meta, MetaList, parse_quote};

use super::handler::Handler;
use super::model::{Model, Setting};
use super::values::{batch_check, batch_size, own};

/// The framework's attribute with `arguments`.
pub(crate) fn framework(arguments: &TokenStream) -> TokenStream {
    if arguments.is_empty() {
        quote!(#[::ruststream::subscriber])
    } else {
        quote!(#[::ruststream::subscriber(#arguments)])
    }
}

pub(crate) fn expand(model: &Model, handler: &Handler, item: &TokenStream) -> TokenStream {
    let attribute = framework(&arguments(model));
    if model.batch.is_none() && handler.carried.is_empty() && handler.levels.is_empty() {
        quote!(#attribute #item)
    } else {
        declared(model, handler, &quote!(#attribute #item))
    }
}

/// What the framework's attribute is given.
fn arguments(model: &Model) -> TokenStream {
    let settings = model.settings.iter();
    let source = model.source.expand(
        |span| model.krate(span),
        settings.map(|Setting { at, value }| (at, value)),
    );
    let start_at = model
        .start_at
        .iter()
        .map(|Setting { at, value }| quote!(#at(#value)));
    let clauses = model.clauses.iter().map(ToTokens::to_token_stream);
    let arguments = source.into_iter().chain(start_at).chain(clauses);
    quote!(#(#arguments),*)
}

/// A definition of our own around the framework's, which drops every attribute of the function and
/// has no clause for the size of a batch.
///
/// Both have the handler's name, so that no other is ever seen: the framework's stands in a block of
/// its own, and an alias reaches ours from there.
fn declared(model: &Model, handler: &Handler, framework: &TokenStream) -> TokenStream {
    let Handler {
        carried,
        levels,
        visibility,
        name,
        ..
    } = handler;
    let quieted = levels.iter().filter_map(quieted);
    let deprecated = carried
        .iter()
        .any(|attribute| attribute.path().is_ident("deprecated"))
        .then(|| quote!(#[allow(deprecated, reason = "to define it is not to use it")]));
    let span = own(name.span());
    let settings = quote_spanned!(span=> <#name as ::ruststream::runtime::Declared>::Settings);
    let declare = quote_spanned!(span=> ::ruststream::runtime::Declared::declare(#name));
    let (check, settings, declare) = match &model.batch {
        None => (None, settings, declare),
        Some(Setting { at, value }) => {
            let size = batch_size(at.span(), value);
            let settings = quote!(<#settings as ::ruststream::runtime::BatchStep>::Out);
            let declare = quote!(::ruststream::runtime::BatchStep::apply_batch(#declare, #size));
            (batch_check(at.span(), value), settings, declare)
        }
    };
    quote! {
        #(#carried)*
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #[allow(non_camel_case_types, reason = "it is named as the function is")]
        #(#quieted)*
        #visibility struct #name;

        #(#levels)*
        const _: () = {
            #deprecated
            type __Handler = #name;
            #check
            {
                #framework

                impl ::ruststream::runtime::Declared for __Handler {
                    type Form = <#name as ::ruststream::runtime::Declared>::Form;
                    type Settings = #settings;

                    fn declare(self) -> Self::Settings {
                        #declare
                    }
                }
            }
        };
    }
}

/// A lint the function allows or expects, allowed of its definition as well; an expectation is met
/// in the body.
fn quieted(level: &Attribute) -> Option<TokenStream> {
    let Meta::List(list) = &level.meta else {
        return None;
    };
    if !list.path.is_ident("allow") && !list.path.is_ident("expect") {
        return None;
    }
    let list = MetaList {
        path: parse_quote!(allow),
        ..list.clone()
    };
    Some(quote!(#[#list]))
}

//! The ladder: which of the places that can name an option answers.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::model::{Model, PublishOption};
use crate::names::local;

pub(super) fn expand(model: &Model) -> TokenStream {
    let options = &model.name;
    let policy = &model.names.policy;
    let resolved = format_ident!("Resolved{options}");
    let fields = model.options.iter().map(|option| {
        let (docs, name) = (&option.docs, &option.name);
        quote!(#(#docs)* pub(crate) #name: ::std::string::String)
    });
    let ladders = model.options.iter().map(ladder);
    let settled = model.options.iter().map(|option| {
        let (name, value) = (&option.name, settled(&option.name));
        quote!(#name: #value)
    });
    let [call, headers_of, fixed, retry_copy] =
        ["options", "headers", "policy", "retry_copy"].map(local);
    quote! {
        /// What one publish goes out with.
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::cmp::PartialEq, ::core::cmp::Eq)]
        pub(crate) struct #resolved {
            #(#fields,)*
        }

        /// Settles every option: the publish's own step, the call's header, the policy, and where
        /// none of them names it, the fallback.
        ///
        /// The headers of a retry copy are those of the delivery it copies. No caller wrote them,
        /// so they rank below the policy.
        pub(crate) fn resolve(
            #call: ::core::option::Option<&#options>,
            #headers_of: &::ruststream::HeaderMap,
            #fixed: &#policy,
        ) -> ::core::result::Result<#resolved, &'static str> {
            let #retry_copy = #headers_of.contains(::ruststream::runtime::RETRY_COUNT_HEADER);
            #(#ladders)*
            ::core::result::Result::Ok(#resolved { #(#settled,)* })
        }
    }
}

/// The variable that holds the value of an option.
fn settled(option: &Ident) -> Ident {
    local(&format!("resolved_{option}"))
}

fn ladder(option: &PublishOption) -> TokenStream {
    let PublishOption {
        name,
        check,
        fallback,
        ..
    } = option;
    let (expression, reason) = (&check.accepts, &check.reason);
    let value = settled(name);
    let [options, headers, policy, retry_copy] =
        ["options", "headers", "policy", "retry_copy"].map(local);
    let [by_step, by_header, by_policy, named, bytes, text, accepts] = [
        "by_step",
        "by_header",
        "by_policy",
        "named",
        "bytes",
        "text",
        "accepts",
    ]
    .map(local);
    let none = quote!(::core::option::Option::<&[u8]>::None);
    let step = if option.step {
        quote! {
            #options
                .and_then(|options| options.#name.as_deref())
                .map(str::as_bytes)
        }
    } else {
        none.clone()
    };
    let header = match &option.header {
        Some(header) => quote!(#headers.get(#header)),
        None => none.clone(),
    };
    let fixed = if option.policy {
        quote!(#policy.#name.as_deref().map(str::as_bytes))
    } else {
        none
    };
    quote! {
        let #by_step = #step;
        let #by_header = #header;
        let #by_policy = #fixed;
        let #named = if #retry_copy {
            #by_step.or(#by_policy).or(#by_header)
        } else {
            #by_step.or(#by_header).or(#by_policy)
        };
        let #value = match #named {
            ::core::option::Option::Some(#bytes) => {
                let ::core::result::Result::Ok(#text) = ::core::str::from_utf8(#bytes) else {
                    return ::core::result::Result::Err(#reason);
                };
                ::std::borrow::ToOwned::to_owned(#text)
            }
            ::core::option::Option::None => #fallback(),
        };
        let #accepts: fn(&str) -> bool = #expression;
        if !#accepts(&#value) {
            return ::core::result::Result::Err(#reason);
        }
    }
}

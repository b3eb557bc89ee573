//! Checked publish options as code: the options and the steps of a publish.

use proc_macro2::TokenStream;
use quote::quote;

use super::model::{Model, PublishOption};
use super::spec::Spec;
use super::{policy, resolve};

pub(crate) fn expand(model: &Model) -> TokenStream {
    let options = options(model);
    let steps = steps(model);
    let policy = policy::expand(model);
    let resolve = resolve::expand(model);
    quote! {
        #options
        #steps
        #policy
        #resolve
    }
}

/// The struct as it was written and the names it defines, so that code using them still resolves.
pub(crate) fn fallback(spec: &Spec) -> TokenStream {
    let Spec {
        attributes,
        visibility,
        name,
        fields,
        header,
    } = spec;
    let fields = fields.iter().map(|field| {
        let (docs, name, ty) = (&field.docs, &field.name, &field.ty);
        quote!(#(#docs)* pub #name: #ty)
    });
    let policy = header.policy.iter();
    let traits = header.steps.iter().chain(&header.settings);
    quote! {
        #(#attributes)*
        #visibility struct #name { #(#fields),* }
        #(
            #[doc(hidden)]
            #visibility struct #policy;
        )*
        #(
            #[doc(hidden)]
            #visibility trait #traits {}
        )*
    }
}

fn options(model: &Model) -> TokenStream {
    let Model {
        attributes,
        visibility,
        name,
        options,
        ..
    } = model;
    let fields = options.iter().map(|option| {
        let PublishOption { docs, name, ty, .. } = option;
        quote!(#(#docs)* pub #name: #ty)
    });
    quote! {
        #(#attributes)*
        #[derive(
            ::core::fmt::Debug,
            ::core::clone::Clone,
            ::core::default::Default,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
        )]
        #visibility struct #name {
            #(#fields,)*
        }
    }
}

fn steps(model: &Model) -> TokenStream {
    let Model {
        visibility,
        name: options,
        ..
    } = model;
    let steps = &model.names.steps;
    let summary = format!(" The steps of a publish that sets [`{options}`].");
    let stepped = || model.options.iter().filter(|option| option.step);
    let declared = stepped().map(|option| {
        let PublishOption { docs, name, .. } = option;
        quote! {
            #(#docs)*
            #[must_use]
            fn #name(self, #name: impl ::core::convert::Into<::std::string::String>) -> Self;
        }
    });
    let defined = stepped().map(|option| {
        let name = &option.name;
        quote! {
            fn #name(
                mut self,
                #name: impl ::core::convert::Into<::std::string::String>,
            ) -> Self {
                self.options_mut()
                    .get_or_insert_with(::core::default::Default::default)
                    .#name = ::core::option::Option::Some(::core::convert::Into::into(#name));
                self
            }
        }
    });
    quote! {
        #[doc = #summary]
        #visibility trait #steps: ::core::marker::Sized {
            #(#declared)*
        }

        impl<Sink, Body, Enc, Hdrs, Dest> #steps
            for ::ruststream::runtime::PublishBuilder<Sink, Body, Enc, Hdrs, Dest>
        where
            Sink: ::ruststream::runtime::PublishSink<Options = #options>,
        {
            #(#defined)*
        }
    }
}

//! The publish policy: its struct, its settings at the mount site and its bindings.

use proc_macro2::TokenStream;
use quote::quote;

use super::model::{Model, Names, PublishOption};
use crate::names;

pub(super) fn expand(model: &Model) -> TokenStream {
    let declaration = declaration(model);
    let settings = settings(model);
    let pairing = pairing(model);
    quote! {
        #declaration
        #settings
        #pairing
    }
}

/// The options the policy sets.
fn set_by_policy(model: &Model) -> impl Iterator<Item = &PublishOption> {
    model.options.iter().filter(|option| option.policy)
}

fn declaration(model: &Model) -> TokenStream {
    let visibility = &model.visibility;
    let Names { policy, live, .. } = &model.names;
    let live = quote!(#live).to_string();
    let summary = format!(" The policy a [`{live}`] publishes by.");
    let rank = " What it sets stands where neither the publish nor its headers say otherwise.";
    let fields = set_by_policy(model).map(|option| {
        let PublishOption { docs, name, ty, .. } = option;
        quote!(#(#docs)* pub(crate) #name: #ty)
    });
    let setters = set_by_policy(model).map(|option| {
        let PublishOption { docs, name, .. } = option;
        quote! {
            #(#docs)*
            pub fn #name(
                mut self,
                #name: impl ::core::convert::Into<::std::string::String>,
            ) -> Self {
                self.#name = ::core::option::Option::Some(::core::convert::Into::into(#name));
                self
            }
        }
    });
    quote! {
        #[doc = #summary]
        #[doc = ""]
        #[doc = #rank]
        #[derive(
            ::core::fmt::Debug,
            ::core::clone::Clone,
            ::core::default::Default,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
        )]
        #[must_use]
        #visibility struct #policy {
            #(#fields,)*
        }

        impl #policy {
            #(#setters)*
        }
    }
}

fn settings(model: &Model) -> TokenStream {
    let visibility = &model.visibility;
    let Names {
        policy, settings, ..
    } = &model.names;
    let sealed = names::module(policy, "sealed");
    let summary = format!(" The settings of [`{policy}`] where a mount chain named that policy.");
    let declared = set_by_policy(model).map(|option| {
        let PublishOption { docs, name, .. } = option;
        quote! {
            #(#docs)*
            #[expect(
                clippy::return_self_not_must_use,
                reason = "a registration commits as its guard drops, at the end of the statement"
            )]
            fn #name(self, #name: impl ::core::convert::Into<::std::string::String>) -> Self;
        }
    });
    let fixed = names::local("policy");
    let defined = set_by_policy(model).map(|option| {
        let name = &option.name;
        quote! {
            fn #name(self, #name: impl ::core::convert::Into<::std::string::String>) -> Self {
                self.map_publisher(|#fixed| {
                    #sealed::Policy::map(#fixed, |#fixed| #fixed.#name(#name))
                })
            }
        }
    });
    quote! {
        /// Keeps the settings to the policy they belong to.
        mod #sealed {
            /// The policy, and nothing else.
            pub trait Policy: ::core::marker::Sized {
                /// Changes the policy.
                fn map(
                    self,
                    f: impl ::core::ops::FnOnce(super::#policy) -> super::#policy,
                ) -> Self;
            }

            impl Policy for super::#policy {
                fn map(
                    self,
                    f: impl ::core::ops::FnOnce(super::#policy) -> super::#policy,
                ) -> Self {
                    f(self)
                }
            }
        }

        #[doc = #summary]
        #visibility trait #settings: ::ruststream::runtime::MapPublisher {
            #(#declared)*
        }

        impl<T> #settings for T
        where
            T: ::ruststream::runtime::MapPublisher,
            <T as ::ruststream::runtime::MapPublisher>::Policy: #sealed::Policy,
        {
            #(#defined)*
        }
    }
}

fn pairing(model: &Model) -> TokenStream {
    let Names {
        policy,
        live,
        connected,
        pair,
        extension,
        channel_bind,
        ..
    } = &model.names;
    let bound: Vec<_> = set_by_policy(model)
        .filter_map(|option| Some((&option.name, option.bind.as_ref()?)))
        .map(|(name, key)| {
            quote! {
                if let ::core::option::Option::Some(value) = &self.#name {
                    body.insert(#key, value);
                }
            }
        })
        .collect();
    let message_bindings = (!bound.is_empty()).then(|| {
        quote! {
            #[cfg(feature = "asyncapi")]
            fn message_bindings(&self, _: &str) -> ::ruststream::asyncapi::Bindings {
                let mut body = ::std::collections::BTreeMap::<&str, &str>::new();
                #(#bound)*
                if body.is_empty() {
                    return ::ruststream::asyncapi::Bindings::new();
                }
                match ::ruststream::asyncapi::Binding::extension(#extension, &body) {
                    ::core::result::Result::Ok(binding) => {
                        ::ruststream::asyncapi::Bindings::new().with(binding)
                    }
                    ::core::result::Result::Err(_) => ::ruststream::asyncapi::Bindings::new(),
                }
            }
        }
    });
    let broker = names::local("connected");
    quote! {
        impl ::ruststream::PublishPolicy<#connected> for #policy {
            type Live = #live;

            fn pair(
                self,
                #broker: &#connected,
            ) -> impl ::core::future::Future<
                Output = ::core::result::Result<#live, ::ruststream::PairError>,
            > + ::core::marker::Send {
                ::core::future::ready(::core::result::Result::Ok(#pair(self, #broker)))
            }

            #[cfg(feature = "asyncapi")]
            fn channel_bindings(&self, channel: &str) -> ::ruststream::asyncapi::Bindings {
                let mut body = ::std::collections::BTreeMap::<&str, &str>::new();
                body.insert(#channel_bind, channel);
                match ::ruststream::asyncapi::Binding::extension(#extension, &body) {
                    ::core::result::Result::Ok(binding) => {
                        ::ruststream::asyncapi::Bindings::new().with(binding)
                    }
                    ::core::result::Result::Err(_) => ::ruststream::asyncapi::Bindings::new(),
                }
            }

            #message_bindings
        }
    }
}

//! A checked descriptor as code.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::model::{Bind, Identity, Model, Names, Setting};
use super::spec::Spec;
use super::stages;
use crate::{docs, names};

pub(crate) fn expand(model: &Model) -> TokenStream {
    let declaration = declaration(model);
    let inherent = inherent(model);
    let source = source(model);
    let stages = stages::expand(model);
    quote! {
        #declaration
        #inherent
        #source
        #stages
    }
}

/// The struct as it was written and the trait it names, so that code using them still resolves.
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
        quote!(#(#docs)* pub(crate) #name: #ty)
    });
    let settings = header.settings.iter();
    quote! {
        #(#attributes)*
        #[allow(dead_code, reason = "its code was not generated")]
        #visibility struct #name { #(#fields),* }
        #(
            #[doc(hidden)]
            #visibility trait #settings {}
        )*
    }
}

fn declaration(model: &Model) -> TokenStream {
    let Model {
        attributes,
        visibility,
        name,
        identity,
        settings,
        ..
    } = model;
    let Identity {
        docs,
        name: id,
        ty: id_ty,
        ..
    } = identity;
    let fields = settings.iter().map(|setting| {
        let Setting { docs, name, ty, .. } = setting;
        quote!(#(#docs)* pub(crate) #name: #ty)
    });
    let rows = settings.iter().map(|setting| {
        let (setter, shown) = (&setting.name, &setting.shown);
        let meaning = docs::cell(&setting.docs);
        let row = format!(" | [`{setter}`]({name}::{setter}) | {shown} | {meaning} |");
        quote!(#[doc = #row])
    });
    quote! {
        #(#attributes)*
        #[doc = ""]
        #[doc = " | Setting | Default | Meaning |"]
        #[doc = " | --- | --- | --- |"]
        #(#rows)*
        #[derive(
            ::core::fmt::Debug,
            ::core::clone::Clone,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
        )]
        #[must_use]
        #visibility struct #name {
            #(#docs)*
            pub(crate) #id: #id_ty,
            #(#fields,)*
        }
    }
}

fn inherent(model: &Model) -> TokenStream {
    let Model {
        name,
        identity,
        settings,
        ..
    } = model;
    let Identity { docs, name: id, .. } = identity;
    let defaults = settings.iter().map(|setting| {
        let name = &setting.name;
        let none = || quote!(::core::option::Option::None);
        let default = setting
            .default
            .as_ref()
            .map_or_else(none, |default| quote!(#default));
        quote!(#name: #default)
    });
    let setters = settings.iter().map(setter);
    let checks = checks(identity, settings);
    let argument = names::local(&id.to_string());
    let rows = settings.iter().map(|setting| {
        let (name, shown) = (setting.name.to_string(), &setting.shown);
        let (literal, mount) = (&setting.literal, setting.mount);
        quote!((#name, #shown, #literal, #mount))
    });
    quote! {
        impl #name {
            /// Every setting as its name, its default as the docs show it, how the subscriber
            /// attribute writes its value, and whether it is a step of the mount site.
            #[doc(hidden)]
            pub const SETTINGS: &'static [(&'static str, &'static str, &'static str, bool)] =
                &[#(#rows),*];

            /// Names the subscription; every setting has its default.
            pub fn new(#argument: impl ::core::convert::Into<::std::string::String>) -> Self {
                Self {
                    #id: ::core::convert::Into::into(#argument),
                    #(#defaults,)*
                }
            }

            #(#docs)*
            #[must_use]
            pub fn #id(&self) -> &str {
                &self.#id
            }

            #(#setters)*

            /// Why this descriptor cannot be opened, if it cannot.
            pub(crate) fn check(&self) -> ::core::result::Result<(), &'static str> {
                #checks
                ::core::result::Result::Ok(())
            }
        }
    }
}

fn setter(setting: &Setting) -> TokenStream {
    let Setting {
        docs,
        name,
        value,
        optional,
        ..
    } = setting;
    let stored = if *optional {
        quote!(::core::option::Option::Some(#name))
    } else {
        quote!(#name)
    };
    quote! {
        #(#docs)*
        pub fn #name(mut self, #name: #value) -> Self {
            self.#name = #stored;
            self
        }
    }
}

fn checks(identity: &Identity, settings: &[Setting]) -> TokenStream {
    let accepts = names::local("accepts");
    let of_identity = identity.check.iter().map(|check| {
        let (name, expression, reason) = (&identity.name, &check.accepts, &check.reason);
        quote! {
            let #accepts: fn(&str) -> bool = #expression;
            if !#accepts(&self.#name) {
                return ::core::result::Result::Err(#reason);
            }
        }
    });
    let of_settings = settings.iter().filter_map(|setting| {
        let Setting { name, value, .. } = setting;
        let check = setting.check.as_ref()?;
        let (expression, reason) = (&check.accepts, &check.reason);
        let refused = if setting.optional {
            quote!(self.#name.as_ref().is_some_and(|value| !#accepts(value)))
        } else {
            quote!(!#accepts(&self.#name))
        };
        Some(quote! {
            let #accepts: fn(&#value) -> bool = #expression;
            if #refused {
                return ::core::result::Result::Err(#reason);
            }
        })
    });
    quote!(#(#of_identity)* #(#of_settings)*)
}

fn source(model: &Model) -> TokenStream {
    let Model { names, name, .. } = model;
    let Names {
        connected,
        subscriber,
        error,
        open,
        ..
    } = names;
    let id = &model.identity.name;
    let [broker, reason] = ["connected", "reason"].map(names::local);
    let refuse = names.invalid.iter().map(|invalid| {
        quote! {
            if let ::core::result::Result::Err(#reason) = self.check() {
                return ::core::result::Result::Err(
                    #invalid(::std::borrow::ToOwned::to_owned(#reason)),
                );
            }
        }
    });
    let bindings = bindings(model);
    quote! {
        impl ::ruststream::FromName for #name {
            fn from_name(name: impl ::core::convert::Into<::std::borrow::Cow<'static, str>>) -> Self {
                Self::new(::core::convert::Into::<::std::borrow::Cow<'static, str>>::into(name))
            }
        }

        impl ::ruststream::runtime::IntoSource for #name {
            type Source = Self;

            fn into_source(self) -> Self {
                self
            }
        }

        impl ::ruststream::SubscriptionSource<#connected> for #name {
            type Subscriber = #subscriber;
            type Copies = ::ruststream::AddressedCopies;

            fn name(&self) -> &str {
                &self.#id
            }

            async fn subscribe(
                self,
                #broker: &#connected,
            ) -> ::core::result::Result<#subscriber, #error> {
                #(#refuse)*
                #open(#broker, &self).await
            }

            #bindings
        }

        impl ::ruststream::RedeliveryAddressed<#connected> for #name {
            fn redelivery_address(
                &self,
                _: &#connected,
            ) -> impl ::core::future::Future<
                Output = ::core::result::Result<::ruststream::RedeliveryAddress, #error>,
            > + ::core::marker::Send {
                let name = ::core::clone::Clone::clone(&self.#id);
                let address = ::ruststream::RedeliveryAddress::new(name);
                ::core::future::ready(::core::result::Result::Ok(address))
            }
        }
    }
}

fn bindings(model: &Model) -> TokenStream {
    let extension = &model.names.extension;
    let body = names::local("body");
    let of_identity = model.identity.bind.iter().map(|key| {
        let name = &model.identity.name;
        quote! {
            if let ::core::result::Result::Ok(value) = ::serde_json::to_value(&self.#name) {
                #body.insert(#key, value);
            }
        }
    });
    let of_settings = model.settings.iter().filter_map(|setting| {
        let bind = setting.bind.as_ref()?;
        Some(binding(setting, bind, &body))
    });
    quote! {
        #[cfg(feature = "asyncapi")]
        fn channel_bindings(&self) -> ::ruststream::asyncapi::Bindings {
            let mut #body = ::std::collections::BTreeMap::<&str, ::serde_json::Value>::new();
            #(#of_identity)*
            #(#of_settings)*
            match ::ruststream::asyncapi::Binding::extension(#extension, &#body) {
                ::core::result::Result::Ok(binding) => {
                    ::ruststream::asyncapi::Bindings::new().with(binding)
                }
                ::core::result::Result::Err(_) => ::ruststream::asyncapi::Bindings::new(),
            }
        }
    }
}

fn binding(setting: &Setting, bind: &Bind, body: &Ident) -> TokenStream {
    let Setting {
        name, value: ty, ..
    } = setting;
    let key = &bind.key;
    let [value, with, json] = ["value", "with", "json"].map(names::local);
    let written = if bind.with.is_some() {
        quote!(::serde_json::to_value(#with(#value)))
    } else {
        quote!(::serde_json::to_value(#value))
    };
    let convert = bind.with.iter();
    let insert = quote! {
        #(let #with: fn(&#ty) -> _ = #convert;)*
        if let ::core::result::Result::Ok(#json) = #written {
            #body.insert(#key, #json);
        }
    };
    if setting.optional {
        quote! {
            if let ::core::option::Option::Some(#value) = &self.#name {
                #insert
            }
        }
    } else {
        quote! {
            let #value = &self.#name;
            #insert
        }
    }
}

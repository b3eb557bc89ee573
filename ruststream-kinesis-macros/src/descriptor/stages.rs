//! The read settings at the mount site.
//!
//! A settings chain carries its source in its type. The stage of that source says whether a read
//! setting may stand there, and each of the three gates refuses exactly one stage, so a misuse is
//! one error with a sentence of its own. The gates stand in `where` clauses because the compiler
//! says their texts only for a method it found.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::model::{Model, Setting};
use crate::names;

pub(super) fn expand(model: &Model) -> TokenStream {
    let module = names::module(&model.name, "stages");
    let stages = stages();
    let gates = gates(model);
    let sources = sources(&model.name);
    let extension = extension(model, &module);
    quote! {
        /// Where a settings chain over the descriptor stands; no code names any of it.
        mod #module {
            #stages
            #gates
            #sources
        }
        #extension
    }
}

fn stages() -> TokenStream {
    quote! {
        /// The source is the descriptor.
        #[derive(::core::fmt::Debug)]
        pub enum Described {}

        /// The descriptor stands inside the framework's position wrapper.
        #[derive(::core::fmt::Debug)]
        pub enum Positioned {}

        /// The source is a name without a descriptor.
        #[derive(::core::fmt::Debug)]
        pub enum BareName {}

        /// The descriptor was not named yet.
        #[derive(::core::fmt::Debug)]
        pub enum Unnamed {}
    }
}

fn gates(model: &Model) -> TokenStream {
    let title = model.names.title.value();
    let descriptor = &model.name;
    let step = model
        .settings
        .iter()
        .find(|setting| setting.mount)
        .map(|setting| setting.name.to_string())
        .unwrap_or_default();
    let before = format!("{title} read settings come before `start_at(..)`");
    let before_note = format!("write `handler.{step}(..).start_at(..)`");
    let bare = format!("a subscription named by a string literal carries no {title} read settings");
    let bare_note =
        format!("name the descriptor in the attribute: `#[subscriber({descriptor}::new(\"..\"))]`");
    let named = format!("{title} read settings come after `name(..)`");
    let named_note = format!("write `handler.name(\"..\").{step}(..)`");
    quote! {
        /// Every stage but the positioned one.
        #[diagnostic::on_unimplemented(
            message = #before,
            label = "the chain has already named a start position",
            note = #before_note
        )]
        pub trait BeforeStartAt {}
        impl BeforeStartAt for Described {}
        impl BeforeStartAt for BareName {}
        impl BeforeStartAt for Unnamed {}

        /// Every stage but the bare name.
        #[diagnostic::on_unimplemented(
            message = #bare,
            label = "this subscription's source is a bare name",
            note = #bare_note
        )]
        pub trait ReadsDescriptor {}
        impl ReadsDescriptor for Described {}
        impl ReadsDescriptor for Positioned {}
        impl ReadsDescriptor for Unnamed {}

        /// Every stage but the unnamed one.
        #[diagnostic::on_unimplemented(
            message = #named,
            label = "this chain has not named its subscription",
            note = #named_note
        )]
        pub trait IsNamed {}
        impl IsNamed for Described {}
        impl IsNamed for Positioned {}
        impl IsNamed for BareName {}
    }
}

fn sources(descriptor: &Ident) -> TokenStream {
    let map = quote!(fn map_descriptor(
        self,
        f: impl ::core::ops::FnOnce(super::#descriptor) -> super::#descriptor,
    ) -> Self);
    // Without a descriptor there is nothing to map; the gates keep every call away.
    let keep = quote! {
        fn map_descriptor(
            self,
            _: impl ::core::ops::FnOnce(super::#descriptor) -> super::#descriptor,
        ) -> Self {
            self
        }
    };
    quote! {
        /// A source a chain over the descriptor may carry.
        pub trait Source: ::core::marker::Sized {
            /// Where a chain over this source stands.
            type Stage;

            /// Changes the descriptor inside the source.
            #map;
        }

        impl Source for super::#descriptor {
            type Stage = Described;

            #map {
                f(self)
            }
        }

        impl<P> Source for ::ruststream::StartAt<super::#descriptor, P> {
            type Stage = Positioned;

            #map {
                self.map_inner(f)
            }
        }

        impl Source for ::ruststream::Name {
            type Stage = BareName;

            #keep
        }

        impl<P> Source for ::ruststream::StartAt<::ruststream::Name, P> {
            type Stage = BareName;

            #keep
        }

        impl Source for ::ruststream::Unnamed<super::#descriptor> {
            type Stage = Unnamed;

            #keep
        }
    }
}

fn extension(model: &Model, module: &Ident) -> TokenStream {
    let Model {
        visibility, name, ..
    } = model;
    let extension = &model.names.settings;
    let summary = format!(" The settings of [`{name}`] as steps of the mount site.");
    let order =
        " They change the descriptor, so they come after `name(..)` and before `start_at(..)`.";
    let mounted = || model.settings.iter().filter(|setting| setting.mount);
    let gates = quote! {
        where
            Self::Stage: #module::ReadsDescriptor + #module::IsNamed + #module::BeforeStartAt
    };
    let declared = mounted().map(|setting| {
        let Setting {
            docs, name, value, ..
        } = setting;
        quote! {
            #(#docs)*
            fn #name(self, #name: #value) -> Self::Settings
            #gates;
        }
    });
    let [source, descriptor] = ["source", "descriptor"].map(names::local);
    let defined = mounted().map(|setting| {
        let Setting { name, value, .. } = setting;
        quote! {
            fn #name(self, #name: #value) -> Self::Settings
            #gates
            {
                ::ruststream::runtime::SubscriberSettings::map_source(self, |#source: Src| {
                    #module::Source::map_descriptor(#source, |#descriptor| {
                        #descriptor.#name(#name)
                    })
                })
            }
        }
    });
    quote! {
        #[doc = #summary]
        #[doc = ""]
        #[doc = #order]
        #visibility trait #extension: ::ruststream::runtime::Declared {
            /// Where the chain stands.
            #[doc(hidden)]
            type Stage;

            #(#declared)*
        }

        impl<D, Def, Src, State, DefCodec> #extension for D
        where
            D: ::ruststream::runtime::Declared<
                Settings = ::ruststream::runtime::SubscriberBuilder<Def, Src, State, DefCodec>,
            >,
            Def: ::ruststream::runtime::Declared,
            Src: #module::Source,
        {
            type Stage = <Src as #module::Source>::Stage;

            #(#defined)*
        }
    }
}

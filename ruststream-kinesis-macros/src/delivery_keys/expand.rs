//! Checked delivery keys as code.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Type;

use super::model::{Context, Field, Key, Mode, Model, Read};
use super::spec::{HeaderSpec, Scope, Spec};

pub(crate) fn expand(model: &Model) -> TokenStream {
    let headers = headers(&model.headers);
    let contexts = model
        .contexts
        .iter()
        .map(|context| self::context(context, &model.message));
    let keys = model.keys.iter().map(key);
    quote! {
        #headers
        #(#contexts)*
        #(#keys)*
    }
}

/// Every name the input defines, so that code using them still resolves.
pub(crate) fn fallback(spec: &Spec) -> TokenStream {
    let headers = spec.headers.iter().map(constant);
    let contexts = spec.contexts.iter().map(|context| {
        let (docs, name) = (&context.docs, &context.name);
        let fields = context.fields.iter().map(|field| {
            let (docs, name, ty) = (&field.docs, &field.name, &field.ty);
            quote!(#(#docs)* pub #name: #ty)
        });
        quote!(#(#docs)* pub struct #name { #(#fields),* })
    });
    let keys = spec.keys.iter().map(|key| {
        let (docs, name) = (&key.docs, &key.name);
        quote!(#(#docs)* pub struct #name;)
    });
    quote!(#(#headers)* #(#contexts)* #(#keys)*)
}

fn constant(header: &HeaderSpec) -> TokenStream {
    let HeaderSpec { docs, name, text } = header;
    quote!(#(#docs)* pub const #name: &str = #text;)
}

fn headers(headers: &[HeaderSpec]) -> TokenStream {
    if headers.is_empty() {
        return TokenStream::new();
    }
    let constants = headers.iter().map(constant);
    let names = headers.iter().map(|header| &header.name);
    let count = Literal::usize_unsuffixed(headers.len());
    quote! {
        #(#constants)*

        /// The headers every delivery carries.
        pub(crate) const DELIVERY_HEADERS: [&str; #count] = [#(#names),*];
    }
}

fn context(context: &Context, message: &Type) -> TokenStream {
    let Context {
        scope,
        docs,
        name,
        argument,
        fields,
    } = context;
    let declared = fields.iter().map(|field| {
        let Field { docs, name, ty, .. } = field;
        quote!(#(#docs)* pub #name: #ty)
    });
    let built = fields.iter().map(|field| {
        let Field { name, build, .. } = field;
        quote!(#name: #build)
    });
    let builds = match scope {
        Scope::Delivery => quote!(::ruststream::BuildContext),
        Scope::Batch => quote!(::ruststream::BuildBatchContext),
    };
    quote! {
        #(#docs)*
        #[derive(::core::fmt::Debug, ::core::clone::Clone)]
        #[non_exhaustive]
        pub struct #name {
            #(#declared,)*
        }

        impl #builds<#message> for #name {
            fn build(#argument: &#message) -> Self {
                Self { #(#built,)* }
            }
        }
    }
}

fn key(key: &Key) -> TokenStream {
    let Key { docs, name, reads } = key;
    let extracted = reads.first().map(|read| {
        let Read {
            context, field, ty, ..
        } = read;
        quote! {
            impl ::ruststream::ContextField for #name {
                type Context = #context;
                type Value = #ty;

                fn read(self, context: &#context) -> #ty {
                    ::core::clone::Clone::clone(&context.#field)
                }
            }
        }
    });
    let read = reads.iter().map(|read| {
        let Read {
            context,
            field,
            mode,
            ty,
        } = read;
        let (value, output, get) = match mode {
            Mode::Clone => (
                quote!(#ty),
                quote!(#ty),
                quote!(::core::clone::Clone::clone(&context.#field)),
            ),
            Mode::Borrow => (quote!(&'a #ty), quote!(&#ty), quote!(&context.#field)),
        };
        quote! {
            impl ::ruststream::Field<#context> for #name {
                type Value<'a> = #value;

                fn get(self, context: &#context) -> #output {
                    #get
                }
            }
        }
    });
    quote! {
        #(#docs)*
        #[derive(
            ::core::fmt::Debug,
            ::core::default::Default,
            ::core::clone::Clone,
            ::core::marker::Copy,
        )]
        pub struct #name;

        #extracted
        #(#read)*
    }
}

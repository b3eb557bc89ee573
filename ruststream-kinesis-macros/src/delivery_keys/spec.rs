//! What was written in `delivery_keys!`: nothing is missing or wrong yet.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, ExprClosure, Ident, LitStr, Token, Type, braced};

use crate::diagnostics::Diagnostics;
use crate::keyed;

#[derive(Debug, Default)]
pub(crate) struct Spec {
    pub(crate) messages: Vec<Type>,
    pub(crate) headers: Vec<HeaderSpec>,
    pub(crate) contexts: Vec<ContextSpec>,
    pub(crate) keys: Vec<KeySpec>,
}

/// `/// docs` `NAME = "text"`
#[derive(Debug)]
pub(crate) struct HeaderSpec {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) text: LitStr,
}

/// `/// docs` `context Name { field: Type = |message| expression, .. }`
#[derive(Debug)]
pub(crate) struct ContextSpec {
    pub(crate) scope: Scope,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) fields: Vec<FieldSpec>,
}

/// What a context is built from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope {
    /// `context`: its delivery.
    Delivery,
    /// `batch`: the first delivery of its batch.
    Batch,
}

#[derive(Debug)]
pub(crate) struct FieldSpec {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) build: ExprClosure,
}

/// `/// docs` `key Name => Context.field: borrow Type, ..;`
#[derive(Debug)]
pub(crate) struct KeySpec {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) reads: Vec<ReadSpec>,
}

#[derive(Debug)]
pub(crate) struct ReadSpec {
    pub(crate) context: Ident,
    pub(crate) field: Ident,
    pub(crate) mode: Ident,
    pub(crate) ty: Type,
}

impl Spec {
    const ITEMS: &[&str] = &["message", "headers", "context", "batch", "key"];

    pub(crate) fn read(input: TokenStream, diagnostics: &Diagnostics) -> Self {
        let mut spec = Self::default();
        let parse = |input: ParseStream| {
            while !input.is_empty() {
                if diagnostics.attempt(spec.item(input)).is_none() {
                    skip_item(input);
                }
            }
            Ok(())
        };
        diagnostics.attempt(parse.parse2(input));
        spec
    }

    fn item(&mut self, input: ParseStream) -> syn::Result<()> {
        let docs = input.call(Attribute::parse_outer)?;
        let word = input.call(Ident::parse_any)?;
        match word.to_string().as_str() {
            "message" => {
                input.parse::<Token![=]>()?;
                self.messages.push(input.parse()?);
                input.parse::<Token![;]>()?;
            }
            "headers" => self.headers.extend(list(input)?),
            "context" => self
                .contexts
                .push(ContextSpec::read(Scope::Delivery, docs, input)?),
            "batch" => self
                .contexts
                .push(ContextSpec::read(Scope::Batch, docs, input)?),
            "key" => self.keys.push(KeySpec::read(docs, input)?),
            other => {
                let text = keyed::unknown(other, Self::ITEMS);
                return Err(syn::Error::new(word.span(), text));
            }
        }
        Ok(())
    }
}

/// Goes on after what ends an item: a `;` or a block.
fn skip_item(input: ParseStream) {
    while let Ok(token) = input.parse::<TokenTree>() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => return,
            TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace => return,
            _ => {}
        }
    }
}

/// `{ item, .. }`
fn list<T: Parse>(input: ParseStream) -> syn::Result<Punctuated<T, Token![,]>> {
    let content;
    braced!(content in input);
    content.parse_terminated(T::parse, Token![,])
}

impl Parse for HeaderSpec {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let docs = input.call(Attribute::parse_outer)?;
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let text = input.parse()?;
        Ok(Self { docs, name, text })
    }
}

impl ContextSpec {
    fn read(scope: Scope, docs: Vec<Attribute>, input: ParseStream) -> syn::Result<Self> {
        Ok(Self {
            scope,
            docs,
            name: input.parse()?,
            fields: list(input)?.into_iter().collect(),
        })
    }
}

impl Parse for FieldSpec {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let docs = input.call(Attribute::parse_outer)?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        input.parse::<Token![=]>()?;
        let build = input.parse()?;
        Ok(Self {
            docs,
            name,
            ty,
            build,
        })
    }
}

impl KeySpec {
    fn read(docs: Vec<Attribute>, input: ParseStream) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=>]>()?;
        let reads = Punctuated::<ReadSpec, Token![,]>::parse_separated_nonempty(input)?;
        input.parse::<Token![;]>()?;
        Ok(Self {
            docs,
            name,
            reads: reads.into_iter().collect(),
        })
    }
}

impl Parse for ReadSpec {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let context = input.parse()?;
        input.parse::<Token![.]>()?;
        let field = input.parse()?;
        input.parse::<Token![:]>()?;
        let mode = input.call(Ident::parse_any)?;
        let ty = input.parse()?;
        Ok(Self {
            context,
            field,
            mode,
            ty,
        })
    }
}

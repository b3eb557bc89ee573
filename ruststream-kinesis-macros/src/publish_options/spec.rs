//! What was written on the publish options: nothing is missing or wrong yet.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, ExprPath, Field, Fields, Ident, ItemStruct, LitStr, Type, Visibility};

use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::keyed::{self, Written};

#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) header: Header,
    /// Every attribute of the struct, its docs among them.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) fields: Vec<FieldSpec>,
}

/// The keys of `#[publish_options(..)]` itself.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) written: Written,
    pub(crate) policy: Option<Ident>,
    pub(crate) live: Option<Type>,
    pub(crate) connected: Option<Type>,
    pub(crate) pair: Option<ExprPath>,
    pub(crate) steps: Option<Ident>,
    pub(crate) settings: Option<Ident>,
    pub(crate) extension: Option<LitStr>,
    pub(crate) channel_bind: Option<LitStr>,
}

#[derive(Debug)]
pub(crate) struct FieldSpec {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) option: Option<OptionSpec>,
}

/// The keys of `#[option(..)]`.
#[derive(Debug, Default)]
pub(crate) struct OptionSpec {
    pub(crate) step: bool,
    pub(crate) policy: bool,
    pub(crate) header: Option<ExprPath>,
    pub(crate) bind: Option<LitStr>,
    pub(crate) check: Option<Expr>,
    pub(crate) reason: Option<LitStr>,
    pub(crate) fallback: Option<ExprPath>,
}

impl Spec {
    /// Reads the input; `None` where it is no struct with named fields.
    pub(crate) fn read(
        attr: TokenStream,
        item: TokenStream,
        diagnostics: &Diagnostics,
    ) -> Option<Self> {
        let header = Header::read(attr, diagnostics);
        let item = diagnostics.attempt(syn::parse2::<ItemStruct>(item))?;
        let Fields::Named(fields) = item.fields else {
            diagnostics.at(
                &item.ident,
                "publish options are a struct with named fields",
            );
            return None;
        };
        if !item.generics.params.is_empty() {
            diagnostics.at(&item.generics.params, "publish options have no generics");
        }
        Some(Self {
            header,
            attributes: item.attrs,
            visibility: item.vis,
            name: item.ident,
            fields: fields
                .named
                .into_iter()
                .filter_map(|field| FieldSpec::read(field, diagnostics))
                .collect(),
        })
    }
}

impl Header {
    /// All of them are required.
    pub(crate) const KEYS: &[&str] = &[
        "policy",
        "live",
        "connected",
        "pair",
        "steps",
        "settings",
        "extension",
        "channel_bind",
    ];

    fn read(tokens: TokenStream, diagnostics: &Diagnostics) -> Self {
        let mut header = Self::default();
        let written = keyed::each(tokens, Self::KEYS, diagnostics, |key, input| {
            match key {
                "policy" => header.policy = keyed::value(input)?,
                "live" => header.live = keyed::value(input)?,
                "connected" => header.connected = keyed::value(input)?,
                "pair" => header.pair = keyed::value(input)?,
                "steps" => header.steps = keyed::value(input)?,
                "settings" => header.settings = keyed::value(input)?,
                "extension" => header.extension = keyed::value(input)?,
                _ => header.channel_bind = keyed::value(input)?,
            }
            Ok(())
        });
        header.written = written;
        header
    }
}

impl FieldSpec {
    fn read(field: Field, diagnostics: &Diagnostics) -> Option<Self> {
        let mut option = None;
        for attribute in &field.attrs {
            if docs::is_doc(attribute) {
                continue;
            }
            if !attribute.path().is_ident("option") {
                diagnostics.at(
                    attribute,
                    "an option's field takes docs and `#[option(..)]`",
                );
                continue;
            }
            if option
                .replace(OptionSpec::read(attribute, diagnostics))
                .is_some()
            {
                diagnostics.at(attribute, "a field is one option");
            }
        }
        Some(Self {
            docs: docs::of(&field.attrs),
            name: field.ident?,
            ty: field.ty,
            option,
        })
    }
}

impl OptionSpec {
    const KEYS: &[&str] = &[
        "step", "policy", "header", "bind", "check", "reason", "fallback",
    ];

    fn read(attribute: &Attribute, diagnostics: &Diagnostics) -> Self {
        let mut option = Self::default();
        let arguments = keyed::arguments(attribute, diagnostics);
        keyed::each(arguments, Self::KEYS, diagnostics, |key, input| {
            match key {
                "step" => option.step = true,
                "policy" => option.policy = true,
                "header" => option.header = keyed::value(input)?,
                "bind" => option.bind = keyed::value(input)?,
                "check" => option.check = keyed::value(input)?,
                "reason" => option.reason = keyed::value(input)?,
                _ => option.fallback = keyed::value(input)?,
            }
            Ok(())
        });
        option
    }
}

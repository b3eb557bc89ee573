//! What was written on a descriptor: nothing is missing or wrong yet.

use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::{
    Attribute, Expr, ExprPath, Field, Fields, Ident, ItemStruct, LitStr, Type, Visibility,
    parenthesized,
};

use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::keyed::{self, Written};

/// The whole input.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) header: Header,
    /// Every attribute of the struct, its docs among them.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) fields: Vec<FieldSpec>,
}

/// The keys of `#[descriptor(..)]` itself.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) written: Written,
    pub(crate) title: Option<LitStr>,
    pub(crate) connected: Option<Type>,
    pub(crate) subscriber: Option<Type>,
    pub(crate) error: Option<Type>,
    pub(crate) open: Option<ExprPath>,
    pub(crate) invalid: Option<ExprPath>,
    pub(crate) settings: Option<Ident>,
    pub(crate) extension: Option<LitStr>,
}

#[derive(Debug)]
pub(crate) struct FieldSpec {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) role: Option<Role>,
}

#[derive(Debug)]
pub(crate) enum Role {
    Identity(IdentitySpec),
    Setting(Box<SettingSpec>),
}

#[derive(Debug, Default)]
pub(crate) struct IdentitySpec {
    pub(crate) bind: Option<LitStr>,
    pub(crate) check: Option<Expr>,
    pub(crate) reason: Option<LitStr>,
}

#[derive(Debug, Default)]
pub(crate) struct SettingSpec {
    pub(crate) default: Option<Expr>,
    pub(crate) shown: Option<LitStr>,
    pub(crate) mount: bool,
    pub(crate) bind: Option<LitStr>,
    pub(crate) with: Option<Expr>,
    pub(crate) check: Option<Expr>,
    pub(crate) reason: Option<LitStr>,
    pub(crate) literal: Option<LiteralSpec>,
}

/// How the subscriber attribute writes a setting's value.
#[derive(Debug)]
pub(crate) struct LiteralSpec {
    pub(crate) kind: Ident,
    pub(crate) range: Option<Expr>,
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
            diagnostics.at(&item.ident, "a descriptor is a struct with named fields");
            return None;
        };
        if !item.generics.params.is_empty() {
            diagnostics.at(&item.generics.params, "a descriptor has no generics");
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
    const KEYS: &[&str] = &[
        "title",
        "connected",
        "subscriber",
        "error",
        "open",
        "invalid",
        "settings",
        "extension",
    ];

    /// All but `invalid`.
    pub(crate) const REQUIRED: &[&str] = &[
        "title",
        "connected",
        "subscriber",
        "error",
        "open",
        "settings",
        "extension",
    ];

    fn read(tokens: TokenStream, diagnostics: &Diagnostics) -> Self {
        let mut header = Self::default();
        let written = keyed::each(tokens, Self::KEYS, diagnostics, |key, input| {
            match key {
                "title" => header.title = keyed::value(input)?,
                "connected" => header.connected = keyed::value(input)?,
                "subscriber" => header.subscriber = keyed::value(input)?,
                "error" => header.error = keyed::value(input)?,
                "open" => header.open = keyed::value(input)?,
                "invalid" => header.invalid = keyed::value(input)?,
                "settings" => header.settings = keyed::value(input)?,
                _ => header.extension = keyed::value(input)?,
            }
            Ok(())
        });
        header.written = written;
        header
    }
}

impl FieldSpec {
    fn read(field: Field, diagnostics: &Diagnostics) -> Option<Self> {
        let mut role = None;
        for attribute in &field.attrs {
            let read = if docs::is_doc(attribute) {
                continue;
            } else if attribute.path().is_ident("identity") {
                Role::Identity(IdentitySpec::read(attribute, diagnostics))
            } else if attribute.path().is_ident("setting") {
                Role::Setting(Box::new(SettingSpec::read(attribute, diagnostics)))
            } else {
                diagnostics.at(
                    attribute,
                    "a descriptor's field takes docs and `#[identity(..)]` or `#[setting(..)]`",
                );
                continue;
            };
            if role.replace(read).is_some() {
                diagnostics.at(attribute, "a field has one role");
            }
        }
        Some(Self {
            docs: docs::of(&field.attrs),
            name: field.ident?,
            ty: field.ty,
            role,
        })
    }
}

impl IdentitySpec {
    const KEYS: &[&str] = &["bind", "check", "reason"];

    fn read(attribute: &Attribute, diagnostics: &Diagnostics) -> Self {
        let mut identity = Self::default();
        let arguments = keyed::arguments(attribute, diagnostics);
        keyed::each(arguments, Self::KEYS, diagnostics, |key, input| {
            match key {
                "bind" => identity.bind = keyed::value(input)?,
                "check" => identity.check = keyed::value(input)?,
                _ => identity.reason = keyed::value(input)?,
            }
            Ok(())
        });
        identity
    }
}

impl SettingSpec {
    const KEYS: &[&str] = &[
        "default", "shown", "mount", "bind", "with", "check", "reason", "literal",
    ];

    fn read(attribute: &Attribute, diagnostics: &Diagnostics) -> Self {
        let mut setting = Self::default();
        let arguments = keyed::arguments(attribute, diagnostics);
        keyed::each(arguments, Self::KEYS, diagnostics, |key, input| {
            match key {
                "default" => setting.default = keyed::value(input)?,
                "shown" => setting.shown = keyed::value(input)?,
                "mount" => setting.mount = true,
                "bind" => setting.bind = keyed::value(input)?,
                "with" => setting.with = keyed::value(input)?,
                "check" => setting.check = keyed::value(input)?,
                "reason" => setting.reason = keyed::value(input)?,
                _ => setting.literal = Some(LiteralSpec::read(input)?),
            }
            Ok(())
        });
        setting
    }
}

impl LiteralSpec {
    fn read(input: ParseStream) -> syn::Result<Self> {
        input.parse::<syn::Token![=]>()?;
        let kind = input.parse()?;
        let range = if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            Some(content.parse()?)
        } else {
            None
        };
        Ok(Self { kind, range })
    }
}

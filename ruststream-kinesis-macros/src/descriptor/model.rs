//! What a descriptor means, once everything about it was checked.

use quote::ToTokens;
use syn::{
    Attribute, Expr, ExprLit, ExprPath, ExprRange, Ident, Lit, LitStr, RangeLimits, Type,
    Visibility,
};

use super::spec::{FieldSpec, Header, IdentitySpec, LiteralSpec, Role, SettingSpec, Spec};
use crate::check::{self, Check};
use crate::diagnostics::Diagnostics;
use crate::docs;

#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) names: Names,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) identity: Identity,
    pub(crate) settings: Vec<Setting>,
}

/// What the descriptor belongs to.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) title: LitStr,
    pub(crate) connected: Type,
    pub(crate) subscriber: Type,
    pub(crate) error: Type,
    pub(crate) open: ExprPath,
    pub(crate) invalid: Option<ExprPath>,
    /// The extension trait of the mount site.
    pub(crate) settings: Ident,
    /// The key of the document's binding.
    pub(crate) extension: LitStr,
}

/// The field that names the subscription.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) bind: Option<LitStr>,
    pub(crate) check: Option<Check>,
}

#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    /// The field's type.
    pub(crate) ty: Type,
    /// What the setter takes: the `T` of an `Option<T>`.
    pub(crate) value: Type,
    pub(crate) optional: bool,
    /// Absent for an `Option` that starts as `None`.
    pub(crate) default: Option<Expr>,
    /// The default, as the docs show it.
    pub(crate) shown: String,
    pub(crate) mount: bool,
    pub(crate) bind: Option<Bind>,
    pub(crate) check: Option<Check>,
    /// How the subscriber attribute writes the value.
    pub(crate) literal: String,
}

/// One field of the document's binding.
#[derive(Debug)]
pub(crate) struct Bind {
    pub(crate) key: LitStr,
    pub(crate) with: Option<Expr>,
}

impl Model {
    /// Checks `spec`; `None` where an error was reported.
    pub(crate) fn check(spec: Spec, diagnostics: &Diagnostics) -> Option<Self> {
        if docs::of(&spec.attributes).is_empty() {
            diagnostics.at(&spec.name, "document the descriptor");
        }
        bound_once(&spec.fields, diagnostics);
        let (mut identities, mut settings) = (Vec::new(), Vec::new());
        for field in spec.fields {
            reserved(&field, diagnostics);
            match field.role {
                Some(Role::Identity(identity)) => {
                    identities.push(Identity::check(
                        field.docs,
                        field.name,
                        field.ty,
                        identity,
                        diagnostics,
                    ));
                }
                Some(Role::Setting(setting)) => {
                    settings.extend(Setting::check(
                        field.docs,
                        field.name,
                        field.ty,
                        *setting,
                        diagnostics,
                    ));
                }
                None => diagnostics.at(
                    &field.name,
                    "every field is `#[identity(..)]` or `#[setting(..)]`",
                ),
            }
        }
        let names = Names::check(spec.header, diagnostics);
        if let Some(names) = &names
            && !settings.iter().any(|setting| setting.mount)
        {
            diagnostics.at(&names.settings, "no setting is `mount`");
        }
        let mut identities = identities.into_iter();
        let identity = diagnostics.require(
            identities.next(),
            spec.name.span(),
            "the `#[identity]` field, which names the subscription",
        );
        for second in identities {
            diagnostics.at(&second.name, "a descriptor has one `#[identity]`");
        }
        Some(Self {
            names: names?,
            attributes: spec.attributes,
            visibility: spec.visibility,
            name: spec.name,
            identity: identity?,
            settings,
        })
    }
}

impl Names {
    fn check(header: Header, diagnostics: &Diagnostics) -> Option<Self> {
        header.written.require(Header::REQUIRED, diagnostics);
        Some(Self {
            title: header.title?,
            connected: header.connected?,
            subscriber: header.subscriber?,
            error: header.error?,
            open: header.open?,
            invalid: header.invalid,
            settings: header.settings?,
            extension: header.extension?,
        })
    }
}

impl Identity {
    fn check(
        docs: Vec<Attribute>,
        name: Ident,
        ty: Type,
        spec: IdentitySpec,
        diagnostics: &Diagnostics,
    ) -> Self {
        if docs.is_empty() {
            diagnostics.at(&name, "document the field: its getter carries the text");
        }
        if !check::is_named(&ty, "String") {
            diagnostics.at(&ty, "what names the subscription is a `String`");
        }
        Self {
            docs,
            name,
            ty,
            bind: spec.bind,
            check: Check::join(spec.check, spec.reason, diagnostics),
        }
    }
}

impl Setting {
    fn check(
        docs: Vec<Attribute>,
        name: Ident,
        ty: Type,
        spec: SettingSpec,
        diagnostics: &Diagnostics,
    ) -> Option<Self> {
        if docs.is_empty() {
            diagnostics.at(&name, "document the field: its setter carries the text");
        }
        let inner = check::option_of(&ty).cloned();
        if inner.is_none() && spec.default.is_none() {
            diagnostics.at(
                &name,
                "a setting that is no `Option` has a default: `default = ..`",
            );
        }
        let bind = match (spec.bind, spec.with) {
            (Some(key), with) => Some(Bind { key, with }),
            (None, Some(with)) => {
                diagnostics.at(with, "`with` needs the key it writes: `bind = \"..\"`");
                None
            }
            (None, None) => None,
        };
        let shown = shown(spec.shown, spec.default.as_ref(), diagnostics);
        let literal = literal(spec.literal, diagnostics);
        let check = Check::join(spec.check, spec.reason, diagnostics);
        Some(Self {
            docs,
            name,
            value: inner.clone().unwrap_or_else(|| ty.clone()),
            ty,
            optional: inner.is_some(),
            default: spec.default,
            shown: shown?,
            mount: spec.mount,
            bind,
            check,
            literal: literal?,
        })
    }
}

fn reserved(field: &FieldSpec, diagnostics: &Diagnostics) {
    if field.name == "new" || field.name == "check" {
        diagnostics.at(&field.name, "the descriptor has a function of this name");
    }
}

/// Refuses a second field under one key of the binding.
fn bound_once(fields: &[FieldSpec], diagnostics: &Diagnostics) {
    let mut seen: Vec<String> = Vec::new();
    for field in fields {
        let bind = match &field.role {
            Some(Role::Identity(identity)) => &identity.bind,
            Some(Role::Setting(setting)) => &setting.bind,
            None => continue,
        };
        let Some(key) = bind else { continue };
        if seen.contains(&key.value()) {
            diagnostics.at(key, "another field is bound under this key");
        }
        seen.push(key.value());
    }
}

/// The default as the docs show it. An expression is for the compiler, so it needs a text.
fn shown(
    shown: Option<LitStr>,
    default: Option<&Expr>,
    diagnostics: &Diagnostics,
) -> Option<String> {
    match (shown, default) {
        (Some(shown), _) => Some(shown.value()),
        (None, None) => Some("off".to_owned()),
        (None, Some(Expr::Lit(literal))) => Some(format!("`{}`", literal.to_token_stream())),
        (None, Some(default)) => {
            diagnostics.at(default, "say how the docs show it: `shown = \"..\"`");
            None
        }
    }
}

/// The canonical text of a literal grammar: `duration`, `int(1..)`, `int` or `expr`.
fn literal(spec: Option<LiteralSpec>, diagnostics: &Diagnostics) -> Option<String> {
    let Some(LiteralSpec { kind, range }) = spec else {
        return Some("expr".to_owned());
    };
    if kind != "duration" && kind != "int" && kind != "expr" {
        diagnostics.at(&kind, "a literal is `duration`, `int(..)` or `expr`");
        return None;
    }
    let Some(range) = range else {
        return Some(kind.to_string());
    };
    if kind != "int" {
        diagnostics.at(&range, format_args!("`{kind}` has no range"));
        return None;
    }
    let text = bounds(&range);
    if text.is_none() {
        diagnostics.at(&range, "a range of whole numbers: `1..` or `1..=10`");
    }
    text.map(|text| format!("int({text})"))
}

fn bounds(range: &Expr) -> Option<String> {
    let Expr::Range(ExprRange {
        start, limits, end, ..
    }) = range
    else {
        return None;
    };
    let digits = |bound: Option<&Expr>| match bound {
        None => Some(String::new()),
        Some(Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        })) => Some(number.base10_digits().to_owned()),
        Some(_) => None,
    };
    let dots = match limits {
        RangeLimits::HalfOpen(_) => "..",
        RangeLimits::Closed(_) => "..=",
    };
    Some(digits(start.as_deref())? + dots + &digits(end.as_deref())?)
}

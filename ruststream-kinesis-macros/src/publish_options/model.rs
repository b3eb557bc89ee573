//! What the publish options mean, once everything about them was checked.

use syn::{Attribute, ExprPath, Ident, LitStr, Type, Visibility};

use super::spec::{FieldSpec, Header, Spec};
use crate::check::{self, Check};
use crate::diagnostics::Diagnostics;
use crate::docs;

#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) names: Names,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) options: Vec<PublishOption>,
}

/// What the options belong to.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) policy: Ident,
    pub(crate) live: Type,
    pub(crate) connected: Type,
    pub(crate) pair: ExprPath,
    /// The trait of the publish builder.
    pub(crate) steps: Ident,
    /// The trait of the mount site.
    pub(crate) settings: Ident,
    /// The key of the document's bindings.
    pub(crate) extension: LitStr,
    /// The field of the channel's binding that holds the destination.
    pub(crate) channel_bind: LitStr,
}

#[derive(Debug)]
pub(crate) struct PublishOption {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    /// Whether a single publish sets it.
    pub(crate) step: bool,
    /// Whether the policy sets it.
    pub(crate) policy: bool,
    pub(crate) header: Option<ExprPath>,
    pub(crate) bind: Option<LitStr>,
    pub(crate) check: Check,
    pub(crate) fallback: ExprPath,
}

impl Model {
    /// Checks `spec`; `None` where an error was reported.
    pub(crate) fn check(spec: Spec, diagnostics: &Diagnostics) -> Option<Self> {
        if docs::of(&spec.attributes).is_empty() {
            diagnostics.at(&spec.name, "document the options");
        }
        let names = Names::check(spec.header, diagnostics);
        bound_once(&spec.fields, diagnostics);
        let options = spec
            .fields
            .into_iter()
            .filter_map(|field| PublishOption::check(field, diagnostics))
            .collect();
        Some(Self {
            names: names?,
            attributes: spec.attributes,
            visibility: spec.visibility,
            name: spec.name,
            options,
        })
    }
}

impl Names {
    fn check(header: Header, diagnostics: &Diagnostics) -> Option<Self> {
        header.written.require(Header::KEYS, diagnostics);
        Some(Self {
            policy: header.policy?,
            live: header.live?,
            connected: header.connected?,
            pair: header.pair?,
            steps: header.steps?,
            settings: header.settings?,
            extension: header.extension?,
            channel_bind: header.channel_bind?,
        })
    }
}

impl PublishOption {
    fn check(field: FieldSpec, diagnostics: &Diagnostics) -> Option<Self> {
        let name = field.name;
        if field.docs.is_empty() {
            diagnostics.at(&name, "document the field: its step carries the text");
        }
        let text =
            check::option_of(&field.ty).is_some_and(|inner| check::is_named(inner, "String"));
        if !text {
            diagnostics.at(&field.ty, "an option is an `Option<String>`");
        }
        let Some(spec) = field.option else {
            diagnostics.at(&name, "every field is `#[option(..)]`");
            return None;
        };
        if let Some(bind) = &spec.bind
            && !spec.policy
        {
            diagnostics.at(bind, "the document shows what the policy set: add `policy`");
        }
        if !spec.step && !spec.policy && spec.header.is_none() {
            diagnostics.at(
                &name,
                "nothing sets the option: `step`, `policy` or `header = ..`",
            );
        }
        if spec.check.is_none() && spec.reason.is_none() {
            diagnostics.at(
                &name,
                "say which values go out: `check = ..`, `reason = \"..\"`",
            );
        }
        let check = Check::join(spec.check, spec.reason, diagnostics);
        let fallback = diagnostics.require(
            spec.fallback,
            name.span(),
            "`fallback = ..`, the value of a publish that names none",
        );
        Some(Self {
            docs: field.docs,
            ty: field.ty,
            step: spec.step,
            policy: spec.policy,
            header: spec.header,
            bind: spec.bind,
            check: check?,
            fallback: fallback?,
            name,
        })
    }
}

/// Refuses a second field under one key of the binding.
fn bound_once(fields: &[FieldSpec], diagnostics: &Diagnostics) {
    let mut seen: Vec<String> = Vec::new();
    let binds = fields
        .iter()
        .filter_map(|field| field.option.as_ref()?.bind.as_ref());
    for key in binds {
        if seen.contains(&key.value()) {
            diagnostics.at(key, "another field is bound under this key");
        }
        seen.push(key.value());
    }
}

//! What the delivery keys mean, once everything about them was checked.

use proc_macro2::{Ident, Span};
use syn::{Attribute, Expr, ExprClosure, Pat, Type};

use super::spec::{ContextSpec, FieldSpec, HeaderSpec, KeySpec, ReadSpec, Scope, Spec};
use crate::diagnostics::Diagnostics;

#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) message: Type,
    pub(crate) headers: Vec<HeaderSpec>,
    pub(crate) contexts: Vec<Context>,
    pub(crate) keys: Vec<Key>,
}

#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) scope: Scope,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    /// What the fields' expressions call the message.
    pub(crate) argument: Ident,
    pub(crate) fields: Vec<Field>,
}

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) build: Expr,
}

#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) name: Ident,
    /// The first one is where `Ctx<Key>` reads it.
    pub(crate) reads: Vec<Read>,
}

#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) context: Ident,
    pub(crate) field: Ident,
    pub(crate) mode: Mode,
    pub(crate) ty: Type,
}

/// How a key hands its value to a body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mode {
    Clone,
    Borrow,
}

impl Model {
    /// Checks `spec`; `None` where an error was reported.
    pub(crate) fn check(spec: Spec, diagnostics: &Diagnostics) -> Option<Self> {
        for header in &spec.headers {
            documented(&header.docs, &header.name, diagnostics);
        }
        header_once(&spec.headers, diagnostics);
        for key in &spec.keys {
            documented(&key.docs, &key.name, diagnostics);
            for (index, read) in key.reads.iter().enumerate() {
                resolve(read, &spec.contexts, diagnostics);
                if key.reads[..index]
                    .iter()
                    .any(|earlier| earlier.context == read.context)
                {
                    diagnostics.at(&read.context, "a key reads a context once");
                }
            }
        }
        let mut messages = spec.messages.into_iter();
        let message = diagnostics.require(messages.next(), Span::call_site(), "`message = ..;`");
        for second in messages {
            diagnostics.at(second, "the message is named once");
        }
        let contexts = spec
            .contexts
            .into_iter()
            .filter_map(|context| Context::check(context, &spec.keys, diagnostics))
            .collect();
        let keys = spec
            .keys
            .into_iter()
            .map(|key| Key::check(key, diagnostics))
            .collect();
        Some(Self {
            message: message?,
            headers: spec.headers,
            contexts,
            keys,
        })
    }
}

impl Context {
    fn check(spec: ContextSpec, keys: &[KeySpec], diagnostics: &Diagnostics) -> Option<Self> {
        documented(&spec.docs, &spec.name, diagnostics);
        let mut argument: Option<Ident> = None;
        let mut fields = Vec::new();
        for field in spec.fields {
            let docs = field_docs(&spec.name, &field, keys, diagnostics);
            let Some((name, build)) = diagnostics.attempt(closure(field.build)) else {
                continue;
            };
            let first = argument.get_or_insert_with(|| name.clone());
            if *first != name {
                let text =
                    format!("the fields of one context call their message one name: `{first}`");
                diagnostics.at(&name, text);
            }
            fields.push(Field {
                docs,
                name: field.name,
                ty: field.ty,
                build,
            });
        }
        if fields.is_empty() {
            diagnostics.at(&spec.name, "a context has a field");
        }
        Some(Self {
            scope: spec.scope,
            docs: spec.docs,
            name: spec.name,
            argument: argument?,
            fields,
        })
    }
}

impl Key {
    fn check(spec: KeySpec, diagnostics: &Diagnostics) -> Self {
        let reads = spec.reads.into_iter().filter_map(|read| {
            let mode = if read.mode == "clone" {
                Mode::Clone
            } else if read.mode == "borrow" {
                Mode::Borrow
            } else {
                diagnostics.at(&read.mode, "a key reads by `clone` or by `borrow`");
                return None;
            };
            Some(Read {
                context: read.context,
                field: read.field,
                mode,
                ty: read.ty,
            })
        });
        Self {
            docs: spec.docs,
            name: spec.name,
            reads: reads.collect(),
        }
    }
}

fn documented(docs: &[Attribute], name: &Ident, diagnostics: &Diagnostics) {
    if docs.is_empty() {
        diagnostics.at(name, format_args!("document `{name}`"));
    }
}

fn header_once(headers: &[HeaderSpec], diagnostics: &Diagnostics) {
    let mut seen: Vec<String> = Vec::new();
    for header in headers {
        let text = header.text.value();
        if text != text.to_ascii_lowercase() {
            diagnostics.at(&header.text, "a header is written in lower case");
        }
        if seen.contains(&text) {
            diagnostics.at(&header.text, "another header has this name");
        }
        seen.push(text);
    }
}

/// A field says what it holds, or leaves that to the key that reads it.
fn field_docs(
    context: &Ident,
    field: &FieldSpec,
    keys: &[KeySpec],
    diagnostics: &Diagnostics,
) -> Vec<Attribute> {
    if !field.docs.is_empty() {
        return field.docs.clone();
    }
    let reads = |key: &&KeySpec| {
        key.reads
            .iter()
            .any(|read| read.context == *context && read.field == field.name)
    };
    let Some(key) = keys.iter().find(reads) else {
        diagnostics.at(&field.name, "document the field, or read it with a key");
        return Vec::new();
    };
    key.docs.clone()
}

/// The argument and the body of `|message| expression`.
fn closure(closure: ExprClosure) -> syn::Result<(Ident, Expr)> {
    let argument = match closure.inputs.first() {
        Some(Pat::Ident(pattern)) if closure.inputs.len() == 1 => pattern.ident.clone(),
        _ => {
            let text = "a field is built by `|message| expression`";
            return Err(syn::Error::new_spanned(closure, text));
        }
    };
    Ok((argument, *closure.body))
}

fn resolve(read: &ReadSpec, contexts: &[ContextSpec], diagnostics: &Diagnostics) {
    let Some(context) = contexts.iter().find(|context| context.name == read.context) else {
        let text = format!("no context is called `{}`", read.context);
        diagnostics.at(&read.context, text);
        return;
    };
    if !context.fields.iter().any(|field| field.name == read.field) {
        let text = format!("`{}` has no field `{}`", context.name, read.field);
        diagnostics.at(&read.field, text);
    }
}

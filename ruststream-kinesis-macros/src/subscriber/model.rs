//! What an attribute means, once everything about it was checked.
//!
//! A part with an error is missing from the model or replaced by what `fallback` has for it, so that
//! there is always a handler to write.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{Expr, Path};

use super::handler::Handler;
use super::keys::{self, Key};
use super::sources::Source;
use super::spec::{Clause, Keyed, Spec};
use super::{clauses, fallback, positions, values};
use crate::diagnostics::Diagnostics;

#[derive(Debug)]
pub(crate) struct Model {
    krate: Option<Path>,
    pub(crate) source: Source,
    pub(crate) settings: Vec<Setting>,
    pub(crate) start_at: Option<Setting>,
    pub(crate) batch: Option<Setting>,
    /// The framework's clauses, as they were written.
    pub(crate) clauses: Vec<Clause>,
}

/// A key and what its value means.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The key, at the place it was written.
    pub(crate) at: Ident,
    pub(crate) value: TokenStream,
}

impl Model {
    /// Checks `spec`.
    ///
    /// A name in front is the framework's own business until one of the keys makes a descriptor of
    /// it.
    pub(crate) fn check(
        mut spec: Spec,
        handler: Option<&Handler>,
        diagnostics: &Diagnostics,
    ) -> Self {
        if let (Some(Expr::Lit(name)), false) = (&spec.source, spec.keys.is_empty()) {
            let name = Expr::Lit(name.clone());
            values::read(&keys::STREAM, &name, diagnostics);
        }
        let mut take = |key: &Key| {
            let at = spec
                .keys
                .iter()
                .position(|keyed| keyed.key.name == key.name)?;
            Some(spec.keys.remove(at))
        };
        let krate = take(&keys::KRATE);
        let krate = krate.and_then(|keyed| values::path(&keyed.value?, diagnostics));
        let [stream, start_at, batch] = [&keys::STREAM, &keys::START_AT, &keys::BATCH].map(take);
        let mut model = Self {
            krate,
            source: Source::of(spec.source, diagnostics),
            settings: Vec::new(),
            start_at: None,
            batch: None,
            clauses: clauses::check(spec.clauses, handler, diagnostics),
        };
        model.name_stream(stream, diagnostics);
        model.read_settings(spec.keys, handler, diagnostics);
        model.start_at(start_at, diagnostics);
        model.batch(batch, handler, diagnostics);
        model
    }

    /// Where the broker's crate is, said at `span`.
    pub(crate) fn krate(&self, span: Span) -> TokenStream {
        self.krate
            .as_ref()
            .map_or_else(|| keys::default_crate(span), ToTokens::to_token_stream)
    }

    fn name_stream(&mut self, stream: Option<Keyed>, diagnostics: &Diagnostics) {
        let Some(Keyed { at, key, value }) = stream else {
            return;
        };
        if !matches!(self.source, Source::Open(None)) {
            diagnostics.at(
                at,
                "the stream is named twice: keep `stream = ..` or what stands in front",
            );
            return;
        }
        let name = value.and_then(|value| values::read(key, &value, diagnostics));
        self.source = name.map_or_else(
            || fallback::source(at.span()),
            |name| Source::Stream {
                at: at.span(),
                name,
            },
        );
    }

    fn read_settings(
        &mut self,
        keys: Vec<Keyed>,
        handler: Option<&Handler>,
        diagnostics: &Diagnostics,
    ) {
        let first = keys.first().map(|keyed| keyed.at.clone());
        for Keyed { at, key, value } in keys {
            if self.source.step(key.name).is_some() {
                diagnostics.at(
                    at,
                    format_args!(
                        "`{0}` is given twice: the source calls `.{0}(..)`",
                        key.name
                    ),
                );
                continue;
            }
            let value = value.and_then(|value| values::read(key, &value, diagnostics));
            self.settings.extend(value.map(|value| Setting {
                at: Ident::new(key.name, at.span()),
                value,
            }));
        }
        let Some(first) = first else { return };
        let Source::Open(kind) = &self.source else {
            return;
        };
        diagnostics.at(&first, unnamed(&first, kind.as_ref(), handler));
        self.settings.clear();
        if kind.is_none() {
            self.source = fallback::source(first.span());
        }
    }

    fn start_at(&mut self, start_at: Option<Keyed>, diagnostics: &Diagnostics) {
        let Some(Keyed { at, value, .. }) = start_at else {
            return;
        };
        if self.clauses.iter().any(|clause| clause.at == "start_at") {
            diagnostics.at(
                at,
                "the start position is named twice: keep `start_at = ..` or `start_at(..)`",
            );
            return;
        }
        let krate = self.krate(values::own(at.span()));
        let position = value.and_then(|value| positions::read(&at, &value, &krate, diagnostics));
        self.start_at = position.map(|value| Setting {
            at: Ident::new(keys::START_AT.name, at.span()),
            value,
        });
    }

    fn batch(
        &mut self,
        batch: Option<Keyed>,
        handler: Option<&Handler>,
        diagnostics: &Diagnostics,
    ) {
        let (Some(Keyed { at, key, value }), Some(handler)) = (batch, handler) else {
            return;
        };
        let value = value.and_then(|value| values::read(key, &value, diagnostics));
        if !handler.takes_batches() {
            let element = handler.element().map_or_else(
                || "T".to_owned(),
                |element| element.to_token_stream().to_string(),
            );
            diagnostics.at(
                at,
                format_args!(
                    "`batch` is for a handler of batches: take `&[{element}]`, or leave `batch` out"
                ),
            );
            return;
        }
        self.batch = Some(Setting {
            at,
            value: value.unwrap_or_else(fallback::batch),
        });
    }
}

/// Why a read setting cannot stand in an attribute that names no stream.
fn unnamed(setting: &Ident, kind: Option<&Expr>, handler: Option<&Handler>) -> String {
    if kind.is_none() {
        return format!("`{setting}` needs the stream it reads: add `stream = \"orders\"`");
    }
    let handler = handler.map_or_else(|| "handler".to_owned(), |handler| handler.name.to_string());
    format!(
        "the mount site names this stream, and `{setting}` comes after the name: write \
         `{handler}.name(\"orders\").{setting}(..)` there"
    )
}

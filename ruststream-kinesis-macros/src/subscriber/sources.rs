//! What stands in front of the keys and clauses: the framework's grammar of sources.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprLit, ExprMethodCall, ExprPath, Ident, Lit};

use super::values::own;
use super::{fallback, keys};
use crate::diagnostics::Diagnostics;

/// Where a subscription reads from, as far as tokens tell.
#[derive(Debug)]
pub(crate) enum Source {
    /// The mount site names it; the kind of source it names may stand here.
    Open(Option<Expr>),
    /// A stream's name or ARN, for which the descriptor is written.
    Stream {
        /// Where it was named.
        at: Span,
        name: TokenStream,
    },
    /// A descriptor.
    Given(Expr),
}

impl Source {
    /// What a source in front is; a form that names no type is reported.
    pub(crate) fn of(source: Option<Expr>, diagnostics: &Diagnostics) -> Self {
        match source {
            None => Self::Open(None),
            Some(Expr::Lit(ExprLit {
                lit: Lit::Str(name),
                ..
            })) => Self::Stream {
                at: name.span(),
                name: name.to_token_stream(),
            },
            Some(Expr::Path(kind)) if kind.qself.is_none() && kind.attrs.is_empty() => {
                Self::Open(Some(Expr::Path(kind)))
            }
            Some(source) if is_constructed(&source) => Self::Given(source),
            Some(other) => {
                diagnostics.at(
                    &other,
                    "a source is a string literal, `Type::new(..)`, `Type { .. }` or a chain on one \
                     of these: the framework reads its type off the tokens",
                );
                fallback::source(other.span())
            }
        }
    }

    /// The step of a chain that already calls `setter`.
    pub(crate) fn step(&self, setter: &str) -> Option<&Ident> {
        let Self::Given(source) = self else {
            return None;
        };
        let mut source = source;
        while let Expr::MethodCall(ExprMethodCall {
            receiver, method, ..
        }) = source
        {
            if method == setter {
                return Some(method);
            }
            source = receiver;
        }
        None
    }

    /// The source with `settings` called on it, each a setter and its argument.
    pub(crate) fn expand<'a>(
        &self,
        krate: impl Fn(Span) -> TokenStream,
        settings: impl Iterator<Item = (&'a Ident, &'a TokenStream)>,
    ) -> Option<TokenStream> {
        let source = match self {
            Self::Open(kind) => return kind.as_ref().map(ToTokens::to_token_stream),
            Self::Stream { at, name } => {
                let span = own(*at);
                let descriptor = keys::descriptor(&krate(span), span);
                quote_spanned!(span=> #descriptor::new(#name))
            }
            Self::Given(source) => source.to_token_stream(),
        };
        Some(settings.fold(source, |source, (setter, value)| {
            let span = own(setter.span());
            quote_spanned!(span=> #source.#setter(#value))
        }))
    }
}

/// Whether the framework can read the type of `value` off its tokens.
pub(crate) fn is_constructed(value: &Expr) -> bool {
    match value {
        Expr::Call(ExprCall { func, .. }) => {
            matches!(&**func, Expr::Path(ExprPath { qself: None, path, .. }) if path.segments.len() > 1)
        }
        Expr::Struct(_) => true,
        Expr::MethodCall(ExprMethodCall { receiver, .. }) => is_constructed(receiver),
        _ => false,
    }
}

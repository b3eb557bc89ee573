//! The value of `start_at`: one of the clause's own words, or an expression of the position's type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprPath, Ident};

use super::keys;
use super::values::{bare, own};
use crate::diagnostics::Diagnostics;
use crate::{keyed, names};

/// The clause's words; each is a constructor of the position's type.
const WORDS: &[&str] = &["horizon", "latest", "timestamp", "sequence"];

const EXPECTED: &str = "expected `horizon`, `latest`, `timestamp(millis)`, \
     `sequence(shard, sequence)` or a position";

/// The position as the framework takes it; `None` where an error was reported.
pub(crate) fn read(
    at: &Ident,
    value: &Expr,
    krate: &TokenStream,
    diagnostics: &Diagnostics,
) -> Option<TokenStream> {
    let value = bare(value);
    let (word, arguments) = match value {
        Expr::Lit(_) => {
            diagnostics.at(value, EXPECTED);
            return None;
        }
        Expr::Call(call) => (name(&call.func), Some(&call.args)),
        other => (name(other), None),
    };
    let Some(word) = word else {
        return Some(expression(at, value, krate));
    };
    let spelt = word.to_string();
    let message = match (spelt.as_str(), arguments.map(Punctuated::len)) {
        ("horizon" | "latest", None) | ("timestamp", Some(1)) | ("sequence", Some(2)) => {
            let position = keys::position(krate, own(word.span()));
            return Some(quote!(#position::#word(#arguments)));
        }
        ("horizon" | "latest", Some(_)) => {
            format!("`{word}` takes nothing: write `start_at = {word}`")
        }
        ("timestamp", _) => "`timestamp` takes the milliseconds since the Unix epoch: write \
             `timestamp(millis)`"
            .to_owned(),
        ("sequence", _) => "`sequence` takes a shard's id and a record's sequence number: write \
             `sequence(shard, sequence)`"
            .to_owned(),
        (other, _) => match keyed::nearest(other, WORDS) {
            Some(meant) => format!("unknown position `{word}`: did you mean `{meant}`?"),
            None => return Some(expression(at, value, krate)),
        },
    };
    diagnostics.at(value, message);
    None
}

/// The single name `value` is.
fn name(value: &Expr) -> Option<&Ident> {
    match value {
        Expr::Path(ExprPath {
            qself: None, path, ..
        }) => path.get_ident(),
        _ => None,
    }
}

/// The framework reads the position's type off a constructor's path, so the expression goes through
/// one; the binding, whose name no handler has, lets the compiler report another type at the
/// expression.
fn expression(at: &Ident, value: &Expr, krate: &TokenStream) -> TokenStream {
    let span = own(at.span());
    let (ty, position) = (keys::position(krate, span), names::local("__position"));
    let value = value.to_token_stream();
    quote_spanned! {span=>
        #ty::at({
            let #position: #ty = #value;
            #position
        })
    }
}

//! What the values of the keys mean, each a literal of its key's grammar or an expression.
//!
//! An expression is for the compiler, which reports a wrong type at the user's own tokens.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprPath, ExprUnary, Lit, LitInt, LitStr, Path, UnOp};

use super::keys::{self, Bounds, Key, Value};
use super::stream_name;
use crate::diagnostics::Diagnostics;
use crate::names;

/// Units a duration is written in, longest first, and their milliseconds.
const UNITS: &[(&str, u64)] = &[("ms", 1), ("s", 1_000), ("m", 60_000)];

/// The longest duration of a setting, a day, in milliseconds.
const LONGEST: u64 = 24 * 60 * 60_000;

/// The value of `key` as an argument of its setter; `None` where an error was reported.
pub(crate) fn read(key: &Key, value: &Expr, diagnostics: &Diagnostics) -> Option<TokenStream> {
    let value = bare(value);
    match &key.value {
        Value::Stream => stream(value, diagnostics),
        Value::Duration => duration(key, value, diagnostics),
        Value::Int(bounds, reason) => integer(key, value, bounds, reason, diagnostics),
        Value::Position | Value::Path => Some(value.to_token_stream()),
    }
}

/// `value` without the parentheses and the groups around it.
pub(crate) fn bare(value: &Expr) -> &Expr {
    match value {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        other => other,
    }
}

/// `span`, as code of this macro: what it says is said at the user's token, what it does is not
/// linted as the user's.
pub(crate) fn own(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

fn literal(value: &Expr) -> Option<&Lit> {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    }
}

fn stream(value: &Expr, diagnostics: &Diagnostics) -> Option<TokenStream> {
    match literal(value) {
        None => {}
        Some(Lit::Str(name)) => {
            if let Some(refusal) = stream_name::refusal(&name.value()) {
                diagnostics.at(name, refusal);
                return None;
            }
        }
        Some(other) => {
            diagnostics.at(
                other,
                "a stream is named by a string: `\"orders\"`, or its ARN",
            );
            return None;
        }
    }
    Some(value.to_token_stream())
}

fn duration(key: &Key, value: &Expr, diagnostics: &Diagnostics) -> Option<TokenStream> {
    let example = key.example;
    match literal(value) {
        None => Some(value.to_token_stream()),
        Some(Lit::Str(text)) => {
            let span = own(text.span());
            match milliseconds(&text.value()) {
                Some((count, scale)) if count * scale > LONGEST => {
                    diagnostics.at(
                        text,
                        format_args!("`{}` is at most a day, `\"1440m\"`", key.name),
                    );
                    None
                }
                Some((count, 1)) => {
                    let millis = Literal::u64_unsuffixed(count);
                    Some(quote_spanned!(span=> ::core::time::Duration::from_millis(#millis)))
                }
                Some((count, scale)) => {
                    let seconds = Literal::u64_unsuffixed(count * (scale / 1_000));
                    Some(quote_spanned!(span=> ::core::time::Duration::from_secs(#seconds)))
                }
                None => {
                    diagnostics.at(text, no_duration(text, example));
                    None
                }
            }
        }
        Some(Lit::Int(number)) => {
            let count = number.base10_digits();
            diagnostics.at(
                number,
                format_args!(
                    "a duration has a unit: `\"{count}ms\"`, `\"{count}s\"` or `\"{count}m\"`"
                ),
            );
            None
        }
        Some(other) => {
            diagnostics.at(
                other,
                format_args!("expected a duration such as `{example}`, or a `Duration` expression"),
            );
            None
        }
    }
}

/// The count and the milliseconds of its unit; nothing for a count of zero or one that overflows.
fn milliseconds(text: &str) -> Option<(u64, u64)> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (count, unit) = text.split_at(digits);
    let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let count: u64 = count.parse().ok().filter(|count| *count > 0)?;
    count.checked_mul(*scale)?;
    Some((count, *scale))
}

fn no_duration(text: &LitStr, example: &str) -> String {
    let written = text.value();
    let meant = guessed(&written).map_or_else(
        || format!("write a number above zero and `ms`, `s` or `m`, such as `{example}`"),
        |meant| format!("did you mean `\"{meant}\"`?"),
    );
    format!("`\"{written}\"` is no duration: {meant}")
}

/// The duration in a text that spells its unit out or has spaces.
fn guessed(text: &str) -> Option<String> {
    let text: String = text.to_lowercase().split_whitespace().collect();
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (count, unit) = text.split_at(digits);
    let unit = match unit {
        "milli" | "millis" | "msec" | "msecs" | "millisecond" | "milliseconds" => "ms",
        "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "m",
        other => other,
    };
    let meant = format!("{count}{unit}");
    milliseconds(&meant).map(|_| meant)
}

fn integer(
    key: &Key,
    value: &Expr,
    bounds: &Bounds,
    reason: &str,
    diagnostics: &Diagnostics,
) -> Option<TokenStream> {
    if let Expr::Unary(ExprUnary {
        op: UnOp::Neg(_),
        expr,
        ..
    }) = value
        && let Some(Lit::Int(_)) = literal(expr)
    {
        diagnostics.at(value, reason);
        return None;
    }
    match literal(value) {
        None => Some(value.to_token_stream()),
        Some(Lit::Int(number)) => {
            let within = number
                .base10_parse::<u64>()
                .is_ok_and(|n| bounds.least <= n && bounds.most.is_none_or(|most| n <= most));
            if !within {
                diagnostics.at(number, reason);
                return None;
            }
            Some(number.to_token_stream())
        }
        Some(other) => {
            let (name, example) = (key.name, key.example);
            diagnostics.at(
                other,
                format_args!("expected a whole number such as `{name} = {example}`"),
            );
            None
        }
    }
}

/// The value of `krate`.
pub(crate) fn path(value: &Expr, diagnostics: &Diagnostics) -> Option<Path> {
    match bare(value) {
        Expr::Path(ExprPath {
            qself: None, path, ..
        }) => Some(path.clone()),
        other => {
            diagnostics.at(
                other,
                "`krate` is a path without quotes, such as `krate = crate::broker`",
            );
            None
        }
    }
}

/// The size of a batch, bound to a name of its type, so that another type is reported at the value.
/// A name a handler may have would be that handler and no binding.
fn records(at: Span, size: &TokenStream, records: &Ident) -> TokenStream {
    quote_spanned!(own(at)=> let #records: ::core::primitive::usize = #size;)
}

/// The size of a batch as the framework takes it; one of zero is refused before it stands here.
pub(crate) fn batch_size(at: Span, size: &TokenStream) -> TokenStream {
    let name = names::local("__records");
    let records = records(at, size, &name);
    quote! {{
        #records
        ::core::num::NonZeroUsize::new(#name).unwrap_or(::core::num::NonZeroUsize::MIN)
    }}
}

/// Judges the size of a batch that is no literal, where its value is known. A constant of the
/// generated code is evaluated whether the handler is mounted or not, and has no name that an error
/// could show.
pub(crate) fn batch_check(at: Span, size: &TokenStream) -> Option<TokenStream> {
    let Value::Int(bounds, reason) = &keys::BATCH.value else {
        return None;
    };
    if syn::parse2::<LitInt>(size.clone()).is_ok() {
        return None;
    }
    let name = names::local("__records");
    let records = records(at, size, &name);
    let [least, most] =
        [bounds.least, bounds.most.unwrap_or(u64::MAX)].map(Literal::u64_unsuffixed);
    let span = own(size.span());
    let check = quote_spanned!(span=> ::core::assert!(#least <= #name && #name <= #most, #reason));
    Some(quote! {
        const _: () = {
            #records
            #check;
        };
    })
}

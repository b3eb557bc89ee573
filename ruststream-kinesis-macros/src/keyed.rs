//! Lists of `key`, `key = value` and whatever else a key takes, separated by commas.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Meta, Token};

use crate::diagnostics::Diagnostics;

/// Reads `tokens` as a list of the `known` keys.
///
/// `read` is called after each known key and takes what belongs to it off the stream. A key that is
/// unknown or given twice, and a value that does not parse, are reported at their tokens; the list
/// goes on after the next comma. Answers the keys that were written, rightly or not.
pub(crate) fn each(
    tokens: TokenStream,
    known: &[&str],
    diagnostics: &Diagnostics,
    mut read: impl FnMut(&str, ParseStream) -> syn::Result<()>,
) -> Written {
    let mut written = Written::default();
    entries(tokens, diagnostics, |input, _| {
        entry(input, known, &mut written, &mut read)
    });
    written
}

/// Reads `tokens` as whatever `entry` takes off the stream, which is told whether it stands first.
pub(crate) fn entries(
    tokens: TokenStream,
    diagnostics: &Diagnostics,
    mut entry: impl FnMut(ParseStream, bool) -> syn::Result<()>,
) {
    let parse = |input: ParseStream| {
        let mut first = true;
        while !input.is_empty() {
            if diagnostics.attempt(entry(input, first)).is_none() {
                skip_entry(input);
            }
            first = false;
            if input.parse::<Option<Token![,]>>()?.is_none() && !input.is_empty() {
                diagnostics.span(input.span(), "expected `,`");
                skip_entry(input);
                input.parse::<Option<Token![,]>>()?;
            }
        }
        Ok(())
    };
    diagnostics.attempt(parse.parse2(tokens));
}

/// The keys of a list, so that one with a wrong value is not reported as missing too.
#[derive(Debug, Default)]
pub(crate) struct Written {
    keys: Vec<String>,
    /// What a key nobody knows was probably meant to be.
    guessed: Vec<String>,
}

impl Written {
    /// Reports at the attribute each of `keys` that is not there.
    pub(crate) fn require(&self, keys: &[&str], diagnostics: &Diagnostics) {
        for key in keys {
            let is_key = |written: &String| written == key;
            if !self.keys.iter().chain(&self.guessed).any(is_key) {
                diagnostics.span(Span::call_site(), format_args!("missing `{key} = ..`"));
            }
        }
    }
}

fn entry(
    input: ParseStream,
    known: &[&str],
    written: &mut Written,
    read: &mut impl FnMut(&str, ParseStream) -> syn::Result<()>,
) -> syn::Result<()> {
    let key = input.call(Ident::parse_any)?;
    let name = key.to_string();
    if !known.contains(&name.as_str()) {
        written
            .guessed
            .extend(nearest(&name, known).map(str::to_owned));
        return Err(syn::Error::new(key.span(), unknown(&name, known)));
    }
    if written.keys.contains(&name) {
        return Err(syn::Error::new(
            key.span(),
            format_args!("`{name}` is given twice"),
        ));
    }
    written.keys.push(name.clone());
    read(&name, input)
}

/// Leaves an entry that cannot be read: everything up to the next comma.
pub(crate) fn skip_entry(input: ParseStream) {
    while !input.is_empty() && !input.peek(Token![,]) {
        // A token tree always parses where the input is not empty.
        let _ = input.parse::<TokenTree>();
    }
}

/// The `= value` after a key.
pub(crate) fn value<T: Parse>(input: ParseStream) -> syn::Result<Option<T>> {
    input.parse::<Token![=]>()?;
    input.parse().map(Some)
}

/// What stands in the parentheses of `attribute`, which may have none.
pub(crate) fn arguments(attribute: &Attribute, diagnostics: &Diagnostics) -> TokenStream {
    match &attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            diagnostics.at(pair.eq_token, "write the keys in parentheses");
            TokenStream::new()
        }
    }
}

/// The text for a word that is none of `known`.
pub(crate) fn unknown(word: &str, known: &[&str]) -> String {
    nearest(word, known).map_or_else(
        || {
            let known = known.join("`, `");
            format!("unknown key `{word}`: expected one of `{known}`")
        },
        |meant| format!("unknown key `{word}`: did you mean `{meant}`?"),
    )
}

/// What `word` was probably meant to be: two slips in a word of at least five letters, one in a
/// shorter one.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let slips = 1 + usize::from(word.len() > 4);
    known
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        .filter(|(distance, _)| *distance <= slips)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be inserted, dropped or replaced to turn `left` into `right`.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.chars().enumerate() {
            let replaced = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

//! What was written in the attribute: which keys, which of the framework's clauses, and their tokens.

use proc_macro2::{Delimiter, Group, Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Token, token};

use super::keys::Key;
use super::words::{self, Word};
use crate::diagnostics::Diagnostics;
use crate::keyed;

/// The whole attribute.
///
/// A misspelt word is reported and then read as what was probably meant, so that what stands beside
/// it is checked too and the handler keeps its shape.
#[derive(Debug, Default)]
pub(crate) struct Spec {
    /// What stands in front.
    pub(crate) source: Option<Expr>,
    pub(crate) keys: Vec<Keyed>,
    pub(crate) clauses: Vec<Clause>,
}

/// One `key = value`.
#[derive(Debug)]
pub(crate) struct Keyed {
    pub(crate) at: Ident,
    pub(crate) key: &'static Key,
    /// Absent where it did not parse, which was reported.
    pub(crate) value: Option<Expr>,
}

/// One clause of the framework, as it was written.
#[derive(Debug)]
pub(crate) struct Clause {
    pub(crate) at: Ident,
    pub(crate) arguments: Option<Group>,
}

impl ToTokens for Clause {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { at, arguments } = self;
        tokens.extend(quote!(#at #arguments));
    }
}

impl Spec {
    pub(crate) fn read(attr: TokenStream, diagnostics: &Diagnostics) -> Self {
        let mut spec = Self::default();
        keyed::entries(attr, diagnostics, |input, first| {
            spec.entry(input, first, diagnostics)
        });
        spec
    }

    fn entry(
        &mut self,
        input: ParseStream,
        first: bool,
        diagnostics: &Diagnostics,
    ) -> syn::Result<()> {
        let ahead = input.fork();
        let word = ahead.call(Ident::parse_any).ok();
        let assigned = ahead.peek(Token![=]) && !ahead.peek(Token![==]) && !ahead.peek(Token![=>]);
        match word {
            Some(word) if assigned => self.assignment(input, &word, diagnostics),
            Some(word) if stands_as_clause(&word, &ahead, first) => {
                self.clause(input, &word, diagnostics)
            }
            _ => self.source(input, first, diagnostics),
        }
    }

    fn source(
        &mut self,
        input: ParseStream,
        first: bool,
        diagnostics: &Diagnostics,
    ) -> syn::Result<()> {
        let no_entry = input.error(words::EXPECTED);
        let source: Expr = input
            .parse()
            .map_err(|error| if first { error } else { no_entry })?;
        if !first {
            diagnostics.at(
                &source,
                "a source stands first: move it to the front, or name the stream with `stream = ..`",
            );
        }
        self.source.get_or_insert(source);
        Ok(())
    }

    fn assignment(
        &mut self,
        input: ParseStream,
        word: &Ident,
        diagnostics: &Diagnostics,
    ) -> syn::Result<()> {
        input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        let meant = words::assigned(word, diagnostics);
        let value = value(input, word, meant.as_ref(), diagnostics);
        match meant {
            Some(Word::Key(key)) => self.push_key(word, key, value, diagnostics),
            Some(Word::Clause(name)) => {
                let arguments = value.map(|value| parenthesized(&value));
                self.push_clause(word, name, arguments, diagnostics);
            }
            None => {}
        }
        Ok(())
    }

    fn clause(
        &mut self,
        input: ParseStream,
        word: &Ident,
        diagnostics: &Diagnostics,
    ) -> syn::Result<()> {
        input.call(Ident::parse_any)?;
        let arguments = if input.peek(token::Paren) {
            Some(input.parse::<Group>()?)
        } else {
            None
        };
        match words::called(word, arguments.as_ref(), diagnostics) {
            Some(Word::Clause(name)) => self.push_clause(word, name, arguments, diagnostics),
            Some(Word::Key(key)) => {
                let value = arguments.and_then(|group| syn::parse2(group.stream()).ok());
                self.push_key(word, key, value, diagnostics);
            }
            None => {}
        }
        Ok(())
    }

    fn push_key(
        &mut self,
        at: &Ident,
        key: &'static Key,
        value: Option<Expr>,
        diagnostics: &Diagnostics,
    ) {
        if self.keys.iter().any(|keyed| keyed.key.name == key.name) {
            diagnostics.at(at, given_twice(key.name));
            return;
        }
        self.keys.push(Keyed {
            at: at.clone(),
            key,
            value,
        });
    }

    fn push_clause(
        &mut self,
        at: &Ident,
        name: &str,
        arguments: Option<Group>,
        diagnostics: &Diagnostics,
    ) {
        if self.clauses.iter().any(|clause| clause.at == name) {
            diagnostics.at(at, given_twice(name));
            return;
        }
        self.clauses.push(Clause {
            at: Ident::new(name, at.span()),
            arguments,
        });
    }
}

fn given_twice(name: &str) -> String {
    format!("`{name}` is given twice: keep one")
}

/// Whether a word, which `ahead` has just read, is a clause and no source. A single name in front is
/// a type, unless it is a clause's; a single name in front of parentheses is no source at all.
fn stands_as_clause(word: &Ident, ahead: ParseStream, first: bool) -> bool {
    let called = ahead.peek(token::Paren);
    let alone = ahead.is_empty() || ahead.peek(Token![,]);
    (called || alone) && (!first || words::is_clause(word) || (called && words::is_close(word)))
}

fn value(
    input: ParseStream,
    word: &Ident,
    meant: Option<&Word>,
    diagnostics: &Diagnostics,
) -> Option<Expr> {
    if input.is_empty() || input.peek(Token![,]) {
        let example = match meant {
            Some(Word::Key(key)) => format!(": `{} = {}`", key.name, key.example),
            _ => String::new(),
        };
        diagnostics.at(word, format_args!("`{word}` has no value{example}"));
        return None;
    }
    let value = diagnostics.attempt(input.parse());
    if value.is_none() {
        keyed::skip_entry(input);
    }
    value
}

fn parenthesized(value: &Expr) -> Group {
    Group::new(Delimiter::Parenthesis, quote!(#value))
}

//! The insides of the framework's clauses.
//!
//! The framework reports the first mistake of an attribute and drops the handler, so what it would
//! refuse is refused here, beside everything else that is wrong. What only a type can tell is left
//! to it.

use proc_macro2::{Group, TokenStream};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprCall, ExprLit, ExprPath, Ident, Lit, Token};

use super::fallback;
use super::handler::Handler;
use super::sources::is_constructed;
use super::spec::Clause;
use crate::diagnostics::Diagnostics;
use crate::keyed;

/// The clauses the framework takes, in the order they were written.
pub(crate) fn check(
    clauses: Vec<Clause>,
    handler: Option<&Handler>,
    diagnostics: &Diagnostics,
) -> Vec<Clause> {
    one_concurrency(&clauses, diagnostics);
    let mut concurrent = false;
    let clauses = clauses.into_iter().filter_map(|clause| {
        if clause.at == "reply" {
            return reply(clause, handler, diagnostics);
        }
        let valid = arguments(&clause, diagnostics)
            .and_then(|arguments| match clause.at.to_string().as_str() {
                "on_failure" => on_failure(arguments, diagnostics),
                "start_at" => start_at(&arguments, diagnostics),
                _ => concurrency(&clause, arguments, handler, diagnostics),
            })
            .is_some();
        let second = is_concurrency(&clause) && std::mem::replace(&mut concurrent, true);
        (valid && !second).then_some(clause)
    });
    clauses.collect()
}

fn is_concurrency(clause: &Clause) -> bool {
    clause.at == "workers" || clause.at == "threads"
}

fn one_concurrency(clauses: &[Clause], diagnostics: &Diagnostics) {
    if let Some(second) = clauses
        .iter()
        .filter(|clause| is_concurrency(clause))
        .nth(1)
    {
        diagnostics.at(
            &second.at,
            "`workers(..)` and `threads(..)` are one setting: keep one of them",
        );
    }
}

/// What stands in a clause's parentheses, where it needs them.
fn arguments(clause: &Clause, diagnostics: &Diagnostics) -> Option<TokenStream> {
    let arguments = clause.arguments.as_ref().map(Group::stream);
    match arguments {
        Some(arguments) if !arguments.is_empty() => Some(arguments),
        _ => {
            let (name, example) = (&clause.at, example(clause));
            diagnostics.at(
                clause,
                format_args!("`{name}` needs a value: write `{example}`"),
            );
            None
        }
    }
}

fn example(clause: &Clause) -> &'static str {
    match clause.at.to_string().as_str() {
        "workers" => "workers(4)",
        "threads" => "threads(4)",
        "on_failure" => "on_failure(decode = skip)",
        _ => "start_at = horizon",
    }
}

fn reply(clause: Clause, handler: Option<&Handler>, diagnostics: &Diagnostics) -> Option<Clause> {
    let Some(group) = &clause.arguments else {
        return Some(clause);
    };
    if group.stream().is_empty() {
        diagnostics.at(
            &clause,
            "`reply()` names no stream: write `reply(\"receipts\")`, or `reply` where the reply's \
             type names it",
        );
        return fallback::reply(&clause, handler);
    }
    if diagnostics
        .attempt(syn::parse2::<Expr>(group.stream()))
        .is_none()
    {
        return fallback::reply(&clause, handler);
    }
    Some(clause)
}

fn start_at(arguments: &TokenStream, diagnostics: &Diagnostics) -> Option<()> {
    let position: Expr = diagnostics.attempt(syn::parse2(arguments.clone()))?;
    if is_constructed(&position) {
        return Some(());
    }
    let written = position.to_token_stream();
    diagnostics.at(
        &position,
        format_args!("the framework's clause takes `Type::ctor(..)`: write `start_at = {written}`"),
    );
    None
}

/// `n` or `n, by_key`.
fn concurrency(
    clause: &Clause,
    arguments: TokenStream,
    handler: Option<&Handler>,
    diagnostics: &Diagnostics,
) -> Option<()> {
    let name = &clause.at;
    let parse = |input: ParseStream| {
        let count: Expr = input.parse()?;
        if input.is_empty() {
            return Ok((count, None));
        }
        input.parse::<Token![,]>()?;
        let lanes: Ident = input.parse()?;
        if lanes != "by_key" {
            let expected = format_args!("write `{name}(n)` or `{name}(n, by_key)`");
            return Err(syn::Error::new(lanes.span(), expected));
        }
        Ok((count, Some(lanes)))
    };
    let (count, lanes) = diagnostics.attempt(parse.parse2(arguments))?;
    if let Expr::Lit(ExprLit {
        lit: Lit::Int(number),
        ..
    }) = &count
        && number.base10_digits() == "0"
    {
        diagnostics.at(number, format_args!("`{name}` is at least 1"));
        return None;
    }
    if let Some(lanes) = lanes
        && handler.is_some_and(Handler::takes_batches)
    {
        diagnostics.at(
            lanes,
            format_args!("`by_key` orders single messages; for batches write `{name}(n)`"),
        );
        return None;
    }
    Some(())
}

const EVENTS: &[&str] = &["panic", "decode"];

const POLICIES: &[&str] = &["fail_fast", "drop", "retry", "retry_after", "skip"];

fn on_failure(arguments: TokenStream, diagnostics: &Diagnostics) -> Option<()> {
    let before = diagnostics.count();
    keyed::each(arguments, EVENTS, diagnostics, |_, input| {
        if let Some(policy) = keyed::value(input)? {
            check_policy(&policy, diagnostics);
        }
        Ok(())
    });
    (diagnostics.count() == before).then_some(())
}

/// A word for a policy stands alone; anything else is an expression of the policy's type.
fn check_policy(policy: &Expr, diagnostics: &Diagnostics) {
    let (called, word) = match policy {
        Expr::Path(ExprPath {
            qself: None, path, ..
        }) => (false, path.get_ident()),
        Expr::Call(ExprCall { func, .. }) => match &**func {
            Expr::Path(path) => (true, path.path.get_ident()),
            _ => return,
        },
        _ => return,
    };
    let Some(word) = word else { return };
    let name = word.to_string();
    let is_constant = name.contains(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
    match (name.as_str(), policy) {
        ("retry_after", Expr::Call(call)) if call.args.len() == 1 => {}
        ("retry_after", _) => diagnostics.at(policy, "write `retry_after(duration)`"),
        _ if called || is_constant || POLICIES.contains(&name.as_str()) => {}
        _ => diagnostics.at(
            word,
            keyed::nearest(&name, POLICIES).map_or_else(
                || {
                    format!(
                        "unknown policy `{name}`: expected `{}`",
                        POLICIES.join("`, `")
                    )
                },
                |meant| format!("unknown policy `{name}`: did you mean `{meant}`?"),
            ),
        ),
    }
}

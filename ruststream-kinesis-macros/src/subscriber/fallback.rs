//! What stands in for a part that could not be read.
//!
//! An attribute with errors is expanded all the same, without what was wrong in it: the handler's
//! name exists, keeps its shape, and nothing else in the file stops compiling because of it.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::quote;

use super::handler::Handler;
use super::sources::Source;
use super::spec::Clause;

/// A stream, where the one that was named is none.
pub(crate) fn source(at: Span) -> Source {
    Source::Stream {
        at,
        name: quote!("invalid"),
    }
}

/// The size of a batch: a slice handler without one cannot be mounted.
pub(crate) fn batch() -> TokenStream {
    quote!(1)
}

/// A reply with nowhere to go, for a handler that returns one: without the clause, that would be no
/// outcome.
pub(crate) fn reply(clause: &Clause, handler: Option<&Handler>) -> Option<Clause> {
    handler.is_some_and(Handler::replies).then(|| Clause {
        at: clause.at.clone(),
        arguments: Some(Group::new(Delimiter::Parenthesis, quote!("invalid"))),
    })
}

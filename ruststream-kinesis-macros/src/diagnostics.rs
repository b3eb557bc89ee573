//! Every error of one input, each at its own token.

use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Collects errors; dropping it without [`finish`](Self::finish) panics, so none can be forgotten.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    /// `None` once the errors were asked for.
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Diagnostics {
    pub(crate) fn new() -> Self {
        Self {
            errors: RefCell::new(Some(Vec::new())),
        }
    }

    /// Reports `message` at `tokens`, from their first to their last.
    pub(crate) fn at(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports `message` at `span`.
    pub(crate) fn span(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// How many errors were reported so far.
    pub(crate) fn count(&self) -> usize {
        self.errors.borrow().as_ref().map_or(0, Vec::len)
    }

    /// Keeps the value of `result`, or reports its error.
    pub(crate) fn attempt<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Keeps `value`, or reports at `span` what is missing.
    pub(crate) fn require<T>(&self, value: Option<T>, span: Span, missing: &str) -> Option<T> {
        if value.is_none() {
            self.span(span, format_args!("missing {missing}"));
        }
        value
    }

    fn push(&self, error: syn::Error) {
        self.errors
            .borrow_mut()
            .as_mut()
            .expect("errors are reported before they are asked for")
            .push(error);
    }

    /// The errors as the tokens that make the compiler report them; `None` where there are none.
    pub(crate) fn finish(self) -> Option<TokenStream> {
        let errors = self.errors.take().unwrap_or_default();
        let all = errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        all.map(|all| all.to_compile_error())
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        assert!(
            thread::panicking() || self.errors.borrow().is_none(),
            "the diagnostics were dropped without being asked for their errors"
        );
    }
}

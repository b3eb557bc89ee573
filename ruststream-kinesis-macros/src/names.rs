//! Names derived from those of a spec.

use proc_macro2::{Ident, Span};
use quote::format_ident;

/// `snake_case` of `name` with `suffix` after it: what a generated module is called.
pub(crate) fn module(name: &Ident, suffix: &str) -> Ident {
    let mut snake = String::new();
    for letter in name.to_string().chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    format_ident!("{snake}_{suffix}")
}

/// A variable of generated code that neither the user's expressions nor their names can meet.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

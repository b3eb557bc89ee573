use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::diagnostics::Diagnostics;
use crate::keyed;

#[test]
#[should_panic(expected = "without being asked for their errors")]
fn errors_cannot_be_forgotten() {
    Diagnostics::new().span(Span::call_site(), "lost");
}

#[test]
fn no_error_is_no_output() {
    assert!(Diagnostics::new().finish().is_none());
}

fn listed(tokens: TokenStream) -> (Vec<String>, Vec<String>) {
    let diagnostics = Diagnostics::new();
    let mut values = Vec::new();
    keyed::each(
        tokens,
        &["bind", "mount", "range"],
        &diagnostics,
        |key, input| {
            if key != "mount" {
                let value = keyed::value::<syn::Expr>(input)?;
                values.push(format!("{key}={}", quote!(#value)));
            }
            Ok(())
        },
    );
    let errors = diagnostics.finish().unwrap_or_default();
    (values, super::errors(&errors))
}

#[test]
fn a_value_ends_where_its_syntax_ends() {
    let (values, errors) = listed(quote!(bind = f::<A, B>(a, b), mount, range = 1..));
    assert_eq!(values, ["bind=f :: < A , B > (a , b)", "range=1 .."]);
    assert!(errors.is_empty());
}

#[test]
fn a_list_goes_on_after_an_error() {
    let (values, errors) = listed(quote!(bnd = 1, 7, mount = 3, mount, range = 2));
    assert_eq!(values, ["range=2"]);
    assert_eq!(
        errors,
        [
            "unknown key `bnd`: did you mean `bind`?",
            "expected ident",
            "expected `,`",
            "`mount` is given twice",
        ]
    );
}

#[test]
fn a_word_far_from_every_key_is_answered_with_the_keys() {
    assert_eq!(
        listed(quote!(colour = 1)).1,
        ["unknown key `colour`: expected one of `bind`, `mount`, `range`"]
    );
}

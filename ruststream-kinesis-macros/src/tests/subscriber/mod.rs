//! The public attribute. It is the one macro that knows its broker.

mod expansion;
mod frameworks_forms;
mod fuzz;
mod misuse;
mod several_mistakes;
mod values;

use proc_macro2::TokenStream;
use quote::quote;

use super::errors;
use crate::subscriber::generate;

fn single() -> TokenStream {
    quote! {
        async fn handle(order: &Order) -> HandlerOutcome {
            HandlerOutcome::ack()
        }
    }
}

fn batch() -> TokenStream {
    quote! {
        async fn handle(orders: &[Order]) -> HandlerOutcome {
            HandlerOutcome::ack()
        }
    }
}

/// What a single handler under `attr` is refused with; its name exists all the same.
fn refused(attr: &TokenStream) -> Vec<String> {
    refused_over(attr, &single())
}

fn refused_over(attr: &TokenStream, item: &TokenStream) -> Vec<String> {
    let output = generate(attr, item);
    assert!(super::defined(output.clone()).contains(&"handle".to_owned()));
    errors(&output)
}

//! What the macros write and what they refuse, over the specs of a broker that is no Kinesis.

mod delivery_keys;
mod descriptor;
mod diagnostics;
mod publish_options;
mod subscriber;

use proc_macro2::TokenStream;
use syn::{File, Item, LitStr};

/// Generated code the way a person would lay it out.
fn formatted(output: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(output).expect("the output is items"))
}

/// Every error of an output, in order.
fn errors(output: &TokenStream) -> Vec<String> {
    let file: File = syn::parse2(output.clone()).expect("the output is items");
    file.items
        .into_iter()
        .filter_map(|item| match item {
            Item::Macro(item) if item.mac.path.segments.last()?.ident == "compile_error" => {
                item.mac.parse_body::<LitStr>().ok()
            }
            _ => None,
        })
        .map(|message| message.value())
        .collect()
}

/// The names of the items an output defines.
fn defined(output: TokenStream) -> Vec<String> {
    let file: File = syn::parse2(output).expect("the output is items");
    file.items
        .into_iter()
        .filter_map(|item| match item {
            Item::Struct(item) => Some(item.ident),
            Item::Trait(item) => Some(item.ident),
            Item::Const(item) => Some(item.ident),
            Item::Fn(item) => Some(item.sig.ident),
            _ => None,
        })
        .map(|name| name.to_string())
        .collect()
}

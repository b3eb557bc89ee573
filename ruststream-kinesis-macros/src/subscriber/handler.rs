//! The function below the attribute, as far as the attribute looks: up to its body.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, Ident, PatType, ReturnType, Signature, Type, Visibility};

/// Levels of lints, which hold for the body too.
const LEVELS: &[&str] = &["allow", "expect", "warn", "deny", "forbid"];

#[derive(Debug)]
pub(crate) struct Handler {
    /// The attributes that a definition can carry: its docs and whether it is deprecated.
    pub(crate) carried: Vec<Attribute>,
    pub(crate) levels: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    /// The type of the first parameter.
    message: Option<Type>,
    output: ReturnType,
}

impl Parse for Handler {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature: Signature = input.parse()?;
        input.parse::<TokenStream>()?;
        let (levels, others): (Vec<_>, Vec<_>) = attributes.into_iter().partition(is_level);
        Ok(Self {
            carried: others.into_iter().filter(is_carried).collect(),
            levels,
            visibility,
            name: signature.ident,
            message: signature.inputs.into_iter().next().and_then(typed),
            output: signature.output,
        })
    }
}

impl Handler {
    pub(crate) fn read(item: &TokenStream) -> syn::Result<Self> {
        let is_function =
            |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "fn");
        syn::parse2(item.clone()).map_err(|error| {
            if item.clone().into_iter().any(|token| is_function(&token)) {
                error
            } else {
                syn::Error::new(error.span(), "a handler is an `async fn`")
            }
        })
    }

    /// Whether it takes batches. The framework asks the tokens as well, so a slice behind an alias
    /// is one message to both.
    pub(crate) fn takes_batches(&self) -> bool {
        matches!(&self.message, Some(Type::Reference(message)) if matches!(*message.elem, Type::Slice(_)))
    }

    /// Whether it returns something that is no outcome, as far as tokens tell.
    pub(crate) fn replies(&self) -> bool {
        match &self.output {
            ReturnType::Default => false,
            ReturnType::Type(_, output) => {
                let output = output.to_token_stream().to_string();
                output.starts_with("Result") || !output.contains("HandlerOutcome")
            }
        }
    }

    /// The type of one message.
    pub(crate) fn element(&self) -> Option<&Type> {
        match &self.message {
            Some(Type::Reference(message)) => Some(&message.elem),
            _ => None,
        }
    }
}

fn typed(argument: FnArg) -> Option<Type> {
    match argument {
        FnArg::Typed(PatType { ty, .. }) => Some(*ty),
        FnArg::Receiver(_) => None,
    }
}

fn is_level(attribute: &Attribute) -> bool {
    LEVELS.iter().any(|level| attribute.path().is_ident(level))
}

fn is_carried(attribute: &Attribute) -> bool {
    ["doc", "deprecated", "must_use"]
        .iter()
        .any(|name| attribute.path().is_ident(name))
}

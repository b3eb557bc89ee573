//! What a spec refuses, and the sentence it refuses it with.

use syn::{Expr, GenericArgument, LitStr, PathArguments, Type};

use crate::diagnostics::Diagnostics;

/// A predicate over a value, and why a value it does not accept is refused.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) accepts: Expr,
    pub(crate) reason: LitStr,
}

impl Check {
    /// Joins the two keys, which make sense together only.
    pub(crate) fn join(
        check: Option<Expr>,
        reason: Option<LitStr>,
        diagnostics: &Diagnostics,
    ) -> Option<Self> {
        match (check, reason) {
            (Some(accepts), Some(reason)) => Some(Self { accepts, reason }),
            (Some(accepts), None) => {
                diagnostics.at(accepts, "say why a value is refused: `reason = \"..\"`");
                None
            }
            (None, Some(reason)) => {
                diagnostics.at(reason, "a reason needs the check it explains: `check = ..`");
                None
            }
            (None, None) => None,
        }
    }
}

/// Whether the last segment of `ty` is `name`, which is as much as tokens tell.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|segment| segment.ident == name)
}

/// The `T` of an `Option<T>`.
pub(crate) fn option_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let option = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &option.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(inner) if option.ident == "Option" => Some(inner),
        _ => None,
    }
}

//! The doc comments a spec carries into the code it generates.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}

/// The doc comments among `attributes`.
pub(crate) fn of(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|attribute| is_doc(attribute))
        .cloned()
        .collect()
}

/// The first paragraph of `docs` on one line, fit for a cell of a markdown table.
pub(crate) fn cell(docs: &[Attribute]) -> String {
    let text: Vec<String> = docs.iter().filter_map(text).collect();
    let lines: Vec<&str> = text
        .iter()
        .flat_map(|text| text.lines())
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    lines.join(" ").replace('|', "\\|")
}

fn text(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = &pair.value
    else {
        return None;
    };
    // `/** .. */` has its empty first line here too; `lines` of an empty text has none.
    Some(if text.value().is_empty() {
        "\n".to_owned()
    } else {
        text.value()
    })
}

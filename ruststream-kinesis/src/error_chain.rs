//! The whole of an SDK error in one line.

use std::error::Error;

/// The cause chain in one line; the SDK's own `Display` shows only its outermost layer.
pub(crate) fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let layer = error.to_string();
        // Layers that only repeat what they wrap add nothing.
        if !text.ends_with(&layer) {
            text.push_str(": ");
            text.push_str(&layer);
        }
        cause = error.source();
    }
    text
}

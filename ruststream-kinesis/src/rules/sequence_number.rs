//! Sequence numbers: decimal strings of any length.

/// Whether `text` is a decimal number, of any length.
pub(crate) fn is_sequence_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

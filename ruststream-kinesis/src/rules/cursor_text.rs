//! The text of a cursor in a stored row.

use super::cursor::Cursor;

const HORIZON: &str = "TRIM_HORIZON";
const TIMESTAMP: &str = "AT_TIMESTAMP";
const AT: &str = "AT_SEQUENCE_NUMBER";
const AFTER: &str = "AFTER_SEQUENCE_NUMBER";

/// A cursor as a row holds it: the iterator's type and, after a colon, its argument.
///
/// The tip is never stored: it is the moment it was taken.
pub(crate) fn write(cursor: &Cursor) -> Option<String> {
    Some(match cursor {
        Cursor::Tip => return None,
        Cursor::Horizon => HORIZON.to_owned(),
        Cursor::Timestamp(millis) => format!("{TIMESTAMP}:{millis}"),
        Cursor::At(sequence) => format!("{AT}:{sequence}"),
        Cursor::After(sequence) => format!("{AFTER}:{sequence}"),
    })
}

/// The cursor a row holds; nothing where it is none of ours.
pub(crate) fn read(text: &str) -> Option<Cursor> {
    if text == HORIZON {
        return Some(Cursor::Horizon);
    }
    let (kind, argument) = text.split_once(':')?;
    match kind {
        TIMESTAMP => argument.parse().ok().map(Cursor::Timestamp),
        AT => Some(Cursor::At(argument.to_owned())),
        AFTER => Some(Cursor::After(argument.to_owned())),
        _ => None,
    }
}

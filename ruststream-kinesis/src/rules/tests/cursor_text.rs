use crate::rules::cursor::Cursor;
use crate::rules::cursor_text;

#[test]
fn a_cursor_comes_back_as_it_was_stored() {
    for cursor in [
        Cursor::Horizon,
        Cursor::Timestamp(1_700_000_000_000),
        Cursor::At("17".to_owned()),
        Cursor::After("17".to_owned()),
    ] {
        let text = cursor_text::write(&cursor).expect("it can be stored");
        assert_eq!(cursor_text::read(&text), Some(cursor));
    }
}

#[test]
fn the_tip_is_never_stored() {
    assert_eq!(cursor_text::write(&Cursor::Tip), None);
}

#[test]
fn a_text_that_is_no_cursor_is_none() {
    for text in ["", "LATEST", "AT_TIMESTAMP", "AT_TIMESTAMP:soon", "17", ":"] {
        assert_eq!(cursor_text::read(text), None, "{text}");
    }
}

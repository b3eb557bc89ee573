use super::{assert_both_sides, inputs};
use crate::rules::cursor_text;
use crate::rules::sequence_number::is_sequence_number;

const NUMBER: &str = "49680703061811541063696485435289739379988392961053294642";

#[test]
fn of_a_million_damaged_sequence_numbers_only_digits_pass() {
    let sound = ["0", "9", NUMBER].map(|text| text.as_bytes().to_vec());
    let mut passed = 0;
    for text in inputs(&[b"", b"0", b"4968"], &sound) {
        let text = String::from_utf8_lossy(&text);
        let is_number = is_sequence_number(&text);
        let rest = text.trim_matches(|letter: char| "0123456789".contains(letter));
        assert_eq!(is_number, !text.is_empty() && rest.is_empty(), "{text:?}");
        passed += u32::from(is_number);
    }
    assert_both_sides(passed);
}

#[test]
fn a_million_damaged_cursors_read_back_as_they_are_written_or_are_none() {
    let sound = [
        "TRIM_HORIZON".to_owned(),
        "AT_TIMESTAMP:1700000000000".to_owned(),
        format!("AT_SEQUENCE_NUMBER:{NUMBER}"),
        format!("AFTER_SEQUENCE_NUMBER:{NUMBER}"),
    ];
    let openings: [&[u8]; 3] = [b"", b"AT_", b"AFTER_SEQUENCE_NUMBER:"];
    let mut read = 0;
    for text in inputs(&openings, &sound.map(String::into_bytes)) {
        let text = String::from_utf8_lossy(&text);
        let Some(cursor) = cursor_text::read(&text) else {
            continue;
        };
        let written = cursor_text::write(&cursor).expect("what is stored is never the tip");
        assert_eq!(cursor_text::read(&written), Some(cursor), "{text:?}");
        read += 1;
    }
    assert_both_sides(read);
}

//! Sequence numbers in process: they grow as numbers and as texts.

/// What precedes a record's index in its sequence number.
const PREFIX: &str = "49";
/// The digits of the index: with them a sequence number has the 56 digits the service's have.
const INDEX_DIGITS: usize = 54;

pub(super) fn of(index: usize) -> String {
    format!("{PREFIX}{index:0INDEX_DIGITS$}")
}

/// The index of the record that has, or would have, that sequence number.
pub(super) fn index(sequence: &str) -> Option<usize> {
    let index = sequence.strip_prefix(PREFIX)?;
    let digits = index.len() == INDEX_DIGITS && index.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| index.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{index, of};
    use crate::rules::sequence_number::is_sequence_number;

    #[test]
    fn sequence_numbers_are_decimal_and_grow_as_numbers_and_as_texts() {
        let drawn = [0, 1, 9, 10, 99_999, 100_000].map(of);
        assert!(drawn.iter().all(|sequence| is_sequence_number(sequence)));
        // Of one length, and without leading zeros: the order of texts is the order of numbers.
        assert!(drawn.iter().all(|sequence| sequence.len() == 56));
        assert!(drawn.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_sequence_number_names_its_record_and_nothing_else_does() {
        assert_eq!(index(&of(7)), Some(7));
        for other in [
            "",
            "1",
            "49",
            &format!("48{:054}", 7),
            &format!("49{:+054}", 7),
        ] {
            assert_eq!(index(other), None, "{other}");
        }
    }
}

use crate::rules::sequence_number::is_sequence_number;

#[test]
fn only_digits_make_a_sequence_number() {
    assert!(is_sequence_number("0"));
    assert!(is_sequence_number(&"9".repeat(129)));
    for text in [
        "",
        "-1",
        "+1",
        "1 ",
        "SHARD_END",
        "TRIM_HORIZON",
        "\u{0661}",
    ] {
        assert!(!is_sequence_number(text), "{text:?}");
    }
}

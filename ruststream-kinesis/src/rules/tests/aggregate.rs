use crate::rules::aggregate::is_aggregated;

#[test]
fn a_record_that_opens_with_the_producer_librarys_magic_is_aggregated() {
    assert!(is_aggregated(&[0xF3, 0x89, 0x9A, 0xC2]));
    assert!(is_aggregated(&[0xF3, 0x89, 0x9A, 0xC2, 0x0A, 0x01]));
}

#[test]
fn any_other_record_is_not_aggregated() {
    let others: [&[u8]; 4] = [
        b"",
        &[0xF3, 0x89, 0x9A],
        &[0x00, 0xF3, 0x89, 0x9A, 0xC2],
        b"RSK2\0\0\0\0",
    ];
    for blob in others {
        assert!(!is_aggregated(blob), "{blob:?}");
    }
}

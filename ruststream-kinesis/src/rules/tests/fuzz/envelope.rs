use bytes::Bytes;

use super::{assert_both_sides, inputs};
use crate::rules::envelope::{encode, headers, payload_at};

/// Sound envelopes of both forms.
fn sound() -> Vec<Vec<u8>> {
    let headers = [("tenant", &b"acme"[..]), ("k", b"\0\xff"), ("", b"")];
    (0..=headers.len())
        .map(|count| {
            encode(
                || headers[..count].iter().copied(),
                b"RSK2\0\0\0\0".to_vec(),
            )
        })
        .chain([
            b"RSK1\0\0\0\x0ba: b\ncd: e\npayload".to_vec(),
            b"RSK1\0\0\0\0".to_vec(),
        ])
        .collect()
}

#[test]
fn a_million_damaged_records_decode_without_a_panic_or_a_byte_made_up() {
    let mut enveloped = 0;
    for blob in inputs(&[b"", b"RSK1", b"RSK2", b"RSK2\0\0\0"], &sound()) {
        let blob = Bytes::from(blob);
        let at = payload_at(&blob);
        assert!(at <= blob.len(), "{blob:?}");
        let headers = headers(&blob);
        let mut count = 0;
        for (name, value) in headers.iter() {
            assert!(str::from_utf8(&name).is_ok(), "{blob:?}");
            assert!(name.len() + value.len() <= at, "{blob:?}");
            count += 1;
        }
        assert_eq!(count, headers.len(), "{blob:?}");
        // The shortest header of either form is two bytes.
        assert!(2 * count <= at, "{blob:?}");
        enveloped += u32::from(at > 0);
    }
    assert_both_sides(enveloped);
}

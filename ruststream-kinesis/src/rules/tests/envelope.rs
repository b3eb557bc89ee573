use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::rules::envelope::{self, Headers, encode, payload_at};

type Pairs = Vec<(String, Vec<u8>)>;

fn wrap(headers: &[(String, Vec<u8>)], payload: &[u8]) -> Vec<u8> {
    let headers = || headers.iter().map(|(name, value)| (&**name, &**value));
    encode(headers, payload.to_vec())
}

fn pairs(headers: &Headers) -> Pairs {
    let text = |name: &Bytes| String::from_utf8(name.to_vec()).unwrap();
    headers
        .iter()
        .map(|(name, value)| (text(&name), value.to_vec()))
        .collect()
}

fn read(blob: &[u8]) -> (Pairs, Vec<u8>) {
    let (before, payload) = blob.split_at(payload_at(blob));
    let headers = pairs(&envelope::headers(&Bytes::copy_from_slice(before)));
    // The headers are the same whether or not the payload is there.
    let whole = envelope::headers(&Bytes::copy_from_slice(blob));
    assert_eq!(pairs(&whole), headers);
    (headers, payload.to_vec())
}

fn header(name: &str, value: &[u8]) -> (String, Vec<u8>) {
    (name.to_owned(), value.to_vec())
}

fn assert_foreign(blob: &[u8]) {
    assert_eq!(read(blob), (vec![], blob.to_vec()), "{blob:?}");
}

/// Two headers, the second of them binary and the payload text.
const GOLDEN: &[u8] = b"RSK2\x00\x00\x00\x1e\
    \x00\x00\x00\x06tenant\x00\x00\x00\x04acme\
    \x00\x00\x00\x01k\x00\x00\x00\x03\x00\xff\n\
    {\"id\":7}";

#[test]
fn an_envelope_has_these_bytes() {
    let headers = [header("tenant", b"acme"), header("k", b"\x00\xff\n")];
    assert_eq!(wrap(&headers, b"{\"id\":7}"), GOLDEN);
    assert_eq!(read(GOLDEN), (headers.to_vec(), b"{\"id\":7}".to_vec()));
}

#[test]
fn an_empty_value_and_an_empty_payload_have_these_bytes() {
    let blob = b"RSK2\x00\x00\x00\x0b\x00\x00\x00\x03key\x00\x00\x00\x00";
    assert_eq!(wrap(&[header("key", b"")], b""), blob);
    assert_eq!(read(blob), (vec![header("key", b"")], vec![]));
}

#[test]
fn a_record_without_headers_is_its_payload_and_is_not_copied() {
    let payload = b"plain".to_vec();
    let at = payload.as_ptr();
    let blob = encode(std::iter::empty, payload);
    assert_eq!(blob, b"plain");
    assert_eq!(blob.as_ptr(), at);
}

#[test]
fn an_envelope_is_one_allocation_of_its_exact_size() {
    let blob = wrap(&[header("tenant", b"acme")], b"payload");
    assert_eq!(blob.capacity(), blob.len());
}

#[test]
fn decoding_copies_nothing() {
    let blob = Bytes::from_static(GOLDEN);
    let within = |part: &Bytes| blob.as_ptr_range().contains(&part.as_ptr());
    let headers = envelope::headers(&blob);
    assert_eq!(headers.len(), 2);
    for (name, value) in headers.iter() {
        assert!(within(&name) && within(&value));
    }
}

#[test]
fn a_record_of_another_producer_is_headerless_and_whole() {
    for blob in [
        &b""[..],
        b"R",
        b"RSK",
        b"RSK3\0\0\0\0",
        b"rsk2\0\0\0\0",
        b"{\"id\":7}",
    ] {
        assert_foreign(blob);
    }
}

#[test]
fn every_truncation_inside_the_header_block_is_headerless_and_whole() {
    let block_end = GOLDEN.len() - b"{\"id\":7}".len();
    for length in 0..block_end {
        assert_foreign(&GOLDEN[..length]);
    }
}

#[test]
fn a_length_that_claims_more_than_there_is_is_headerless_and_whole() {
    // The block length, the first name's length, the first value's length.
    for at in [4, 8, 18] {
        for claim in [u32::MAX, 1 << 31, 10_000] {
            let mut blob = GOLDEN.to_vec();
            blob[at..at + 4].copy_from_slice(&claim.to_be_bytes());
            assert_foreign(&blob);
        }
    }
}

#[test]
fn bytes_left_over_in_the_header_block_are_damage() {
    for rest in [&b"\0"[..], b"\0\0\0\x01k", b"\0\0\0\0\0\0"] {
        let mut blob = b"RSK2\0\0\0\x09\0\0\0\x01k\0\0\0\0".to_vec();
        blob[7] += u8::try_from(rest.len()).unwrap();
        blob.extend_from_slice(rest);
        assert_foreign(&blob);
    }
}

#[test]
fn a_name_that_is_not_utf_8_is_damage() {
    assert_foreign(b"RSK2\0\0\0\x0a\0\0\0\x02\xff\xfe\0\0\0\0payload");
}

#[test]
fn a_payload_that_reads_as_an_envelope_comes_back_byte_for_byte() {
    for payload in [
        GOLDEN,
        b"RSK2\0\0\0\0",
        b"RSK1\0\0\0\0rest",
        b"RSK1\0\0\0\x05a: b\n",
    ] {
        let blob = wrap(&[], payload);
        assert!(blob.starts_with(b"RSK2\0\0\0\0"));
        assert_eq!(read(&blob), (vec![], payload.to_vec()));
    }
}

#[test]
fn a_payload_that_only_begins_like_an_envelope_stays_plain() {
    for payload in [&b"RSK2"[..], b"RSK1", b"RSK2 is our format", &GOLDEN[..20]] {
        assert_eq!(wrap(&[], payload), payload);
    }
}

#[test]
fn the_earlier_text_envelope_reads_back_with_its_headers() {
    let blob = b"RSK1\x00\x00\x00\x1etenant: acme\nurl: http://a: b\n{\"id\":7}";
    let headers = vec![header("tenant", b"acme"), header("url", b"http://a: b")];
    assert_eq!(read(blob), (headers, b"{\"id\":7}".to_vec()));
}

#[test]
fn the_last_line_of_a_text_envelope_may_lack_its_line_feed() {
    let blob = b"RSK1\x00\x00\x00\x08a: 1\nb: payload";
    let headers = vec![header("a", b"1"), header("b", b"")];
    assert_eq!(read(blob), (headers, b"payload".to_vec()));
}

#[test]
fn a_damaged_text_envelope_is_headerless_and_whole() {
    for blob in [
        &b"RSK1\0\0\0\x09a: b\n"[..],
        b"RSK1\0\0\0\x04abc\npayload",
        b"RSK1\0\0\0\x06a: b\n\npayload",
        b"RSK1\0\0\0\x05a: \xff\npayload",
    ] {
        assert_foreign(blob);
    }
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z][a-z0-9-]{0,20}", "\\PC{0,12}", any::<String>()]
}

fn headers() -> impl Strategy<Value = Pairs> {
    vec((names(), vec(any::<u8>(), 0..40)), 0..40)
}

fn payloads() -> impl Strategy<Value = Vec<u8>> {
    let tail = || vec(any::<u8>(), 0..100);
    let magic = prop_oneof![
        Just(&b"RSK1"[..]),
        Just(&b"RSK2"[..]),
        Just(&b"RSK2\0\0\0\0"[..])
    ];
    prop_oneof![
        tail(),
        (magic, tail()).prop_map(|(magic, tail)| [magic, &tail[..]].concat())
    ]
}

proptest! {
    #[test]
    fn any_headers_and_payload_come_back_byte_for_byte(
        headers in headers(),
        payload in payloads(),
    ) {
        let blob = wrap(&headers, &payload);
        prop_assert_eq!(read(&blob), (headers, payload));
    }

    #[test]
    fn a_payload_in_envelopes_of_envelopes_comes_back_layer_by_layer(
        headers in headers(),
        payload in payloads(),
    ) {
        let inner = wrap(&headers, &payload);
        let outer = wrap(&[], &inner);
        prop_assert_eq!(read(&outer), (vec![], inner));
    }

    #[test]
    fn every_plain_line_of_a_text_envelope_reads_back(
        headers in vec(("[a-z][a-z0-9-]{0,20}", "[^\n]{0,40}"), 0..40),
        payload in payloads(),
    ) {
        use std::fmt::Write;
        let mut block = String::new();
        for (name, value) in &headers {
            writeln!(block, "{name}: {value}").unwrap();
        }
        let length = u32::try_from(block.len()).unwrap().to_be_bytes();
        let blob = [b"RSK1", &length[..], block.as_bytes(), &payload].concat();
        let written = headers.into_iter().map(|(name, value)| (name, value.into_bytes()));
        prop_assert_eq!(read(&blob), (written.collect(), payload));
    }
}

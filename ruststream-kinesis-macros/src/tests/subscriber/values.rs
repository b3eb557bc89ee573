use proc_macro2::TokenStream;
use quote::quote;

use super::{batch, refused, refused_over};

/// What a handler of batches is refused with when its key `name` has `value`.
fn value(name: &str, value: &TokenStream) -> Vec<String> {
    let name: TokenStream = name.parse().unwrap();
    let attr = if name.to_string() == "stream" {
        quote!(stream = #value)
    } else {
        quote!("orders", #name = #value)
    };
    refused_over(&attr, &batch())
}

#[test]
fn a_duration_is_above_zero_and_has_a_unit() {
    let sample = "write a number above zero and `ms`, `s` or `m`, such as `\"500ms\"`";
    for (written, message) in [
        (quote!("0s"), format!("`\"0s\"` is no duration: {sample}")),
        (quote!(""), format!("`\"\"` is no duration: {sample}")),
        (quote!("500"), format!("`\"500\"` is no duration: {sample}")),
        (
            quote!("1.5s"),
            format!("`\"1.5s\"` is no duration: {sample}"),
        ),
        (
            quote!("99999999999999999m"),
            format!("`\"99999999999999999m\"` is no duration: {sample}"),
        ),
        (
            quote!("2 sec"),
            "`\"2 sec\"` is no duration: did you mean `\"2s\"`?".into(),
        ),
        (
            quote!("5MS"),
            "`\"5MS\"` is no duration: did you mean `\"5ms\"`?".into(),
        ),
        (
            quote!("3 minutes"),
            "`\"3 minutes\"` is no duration: did you mean `\"3m\"`?".into(),
        ),
        (
            quote!("1441m"),
            "`poll_interval` is at most a day, `\"1440m\"`".into(),
        ),
        (
            quote!(500),
            "a duration has a unit: `\"500ms\"`, `\"500s\"` or `\"500m\"`".into(),
        ),
        (
            quote!(true),
            "expected a duration such as `\"500ms\"`, or a `Duration` expression".into(),
        ),
    ] {
        assert_eq!(value("poll_interval", &written), [message]);
    }
}

#[test]
fn a_number_is_within_its_bounds() {
    let shards = ["a stream has at least one shard"];
    assert_eq!(value("create_if_missing", &quote!(0)), shards);
    assert_eq!(value("create_if_missing", &quote!(-3)), shards);
    assert_eq!(value("create_if_missing", &quote!((0x0))), shards);
    assert_eq!(
        value("create_if_missing", &quote!("2")),
        ["expected a whole number such as `create_if_missing = 2`"]
    );
    let records = ["a batch holds 1 to 10000 records, which is the most one read fetches"];
    assert_eq!(value("batch", &quote!(0)), records);
    assert_eq!(value("batch", &quote!(10_001)), records);
    assert_eq!(value("batch", &quote!(99999999999999999999999)), records);
    assert_eq!(
        value("memory_budget", &quote!(0)),
        ["a memory budget of zero reads nothing"]
    );
}

#[test]
fn a_stream_is_a_name_or_an_arn() {
    for (name, message) in [
        (quote!(""), "a stream name has at least one character"),
        (
            quote!("of today"),
            "a stream name holds only letters, digits, `_`, `.` and `-`",
        ),
        (
            quote!("arn:aws:sqs:a:1:b"),
            "the service of a stream ARN is `kinesis`",
        ),
        (
            quote!(7),
            "a stream is named by a string: `\"orders\"`, or its ARN",
        ),
    ] {
        assert_eq!(value("stream", &name), [message]);
    }
    assert_eq!(
        refused(&quote!("of today", poll_interval = "2s")),
        ["a stream name holds only letters, digits, `_`, `.` and `-`"]
    );
}

#[test]
fn a_position_is_a_known_one() {
    let unknown = "expected `horizon`, `latest`, `timestamp(millis)`, `sequence(shard, sequence)` or \
         a position";
    for (written, message) in [
        (quote!("horizon"), unknown),
        (quote!(0), unknown),
        (
            quote!(horizn),
            "unknown position `horizn`: did you mean `horizon`?",
        ),
        (
            quote!(timestmap(3)),
            "unknown position `timestmap`: did you mean `timestamp`?",
        ),
        (
            quote!(latest()),
            "`latest` takes nothing: write `start_at = latest`",
        ),
        (
            quote!(timestamp),
            "`timestamp` takes the milliseconds since the Unix epoch: write `timestamp(millis)`",
        ),
        (
            quote!(sequence("shard")),
            "`sequence` takes a shard's id and a record's sequence number: write \
             `sequence(shard, sequence)`",
        ),
    ] {
        assert_eq!(value("start_at", &written), [message]);
    }
}

#[test]
fn a_batch_is_sized_for_a_handler_of_batches() {
    assert_eq!(
        refused(&quote!("orders", batch = 5)),
        ["`batch` is for a handler of batches: take `&[Order]`, or leave `batch` out"]
    );
}

#[test]
fn a_path_is_a_path() {
    assert_eq!(
        refused(&quote!("orders", krate = "broker")),
        ["`krate` is a path without quotes, such as `krate = crate::broker`"]
    );
    assert_eq!(
        refused(&quote!("orders", crate = broker)),
        ["unknown key `crate`: did you mean `krate = crate::broker`?"]
    );
}

use proptest::prelude::*;

use crate::rules::stream_ref::{StreamRef, parse};

#[test]
fn a_name_is_a_name() {
    assert_eq!(parse("orders.v2_x-y"), Ok(StreamRef::Name("orders.v2_x-y")));
    assert_eq!(parse("arn"), Ok(StreamRef::Name("arn")));
}

#[test]
fn an_arn_is_taken_apart() {
    let arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders";
    let parsed = parse(arn).unwrap();
    assert_eq!(
        parsed,
        StreamRef::Arn {
            arn,
            name: "orders",
        }
    );
    assert_eq!((parsed.name(), parsed.text()), ("orders", arn));
    assert_eq!(parsed.arn(), Some(arn));
    assert_eq!(parse("orders").unwrap().arn(), None);
}

#[test]
fn every_partition_of_the_service_is_known() {
    for partition in [
        "aws",
        "aws-cn",
        "aws-us-gov",
        "aws-iso",
        "aws-iso-b",
        "aws-iso-e",
        "aws-iso-f",
        "aws-eusc",
    ] {
        let arn = format!("arn:{partition}:kinesis:us-east-1:000000000000:stream/s");
        assert_eq!(parse(&arn).map(StreamRef::name), Ok("s"), "{arn}");
    }
}

#[test]
fn a_name_of_128_characters_passes_and_one_of_129_is_refused() {
    assert!(parse(&"s".repeat(128)).is_ok());
    assert!(parse(&"s".repeat(129)).unwrap_err().contains("128"));
}

#[test]
fn a_refusal_names_the_rule() {
    let account = "123456789012";
    for (text, rule) in [
        ("", "at least one character"),
        ("orders/eu", "only letters, digits"),
        ("bestellungen-\u{fc}", "only letters, digits"),
        ("orders eu", "only letters, digits"),
        ("ARN:aws:kinesis", "only letters, digits"),
        ("arn:", "arn:<partition>"),
        ("arn:aws:kinesis:eu-west-1:123456789012", "arn:<partition>"),
        ("arn:azure:kinesis:r:123456789012:stream/s", "partition"),
        ("arn:aws-:kinesis:r:123456789012:stream/s", "partition"),
        ("arn:aws:sqs:r:123456789012:stream/s", "service"),
        ("arn:aws:kinesis::123456789012:stream/s", "region"),
        ("arn:aws:kinesis:EU:123456789012:stream/s", "region"),
        ("arn:aws:kinesis:r:12345678901:stream/s", "12 digits"),
        ("arn:aws:kinesis:r:12345678901x:stream/s", "12 digits"),
        ("arn:aws:kinesis:r:123456789012:s", "arn:<partition>"),
        ("arn:aws:kinesis:r:123456789012:stream/", "at least one"),
        ("arn:aws:kinesis:r:123456789012:stream/a/b", "only letters"),
        ("arn:aws:kinesis:r:123456789012:stream/a:b", "only letters"),
        (
            "arn:aws:kinesis:r:123456789012:stream/s/consumer/c:1",
            "/consumer/",
        ),
    ] {
        let reason = parse(text).unwrap_err();
        assert!(reason.contains(rule), "{text:?}: {reason}");
    }
    let long = format!("arn:aws:kinesis:r:{account}:stream/{}", "s".repeat(129));
    assert!(parse(&long).unwrap_err().contains("128"));
}

proptest! {
    #[test]
    fn any_name_of_the_grammar_is_accepted_bare_and_in_an_arn(name in "[a-zA-Z0-9_.-]{1,128}") {
        prop_assert_eq!(parse(&name), Ok(StreamRef::Name(&name)));
        let arn = format!("arn:aws-cn:kinesis:cn-north-1:210987654321:stream/{name}");
        prop_assert_eq!(parse(&arn).map(StreamRef::name), Ok(name.as_str()));
    }

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(text in "\\PC{0,200}") {
        let _ = parse(&text);
        let _ = parse(&format!("arn:{text}"));
        let _ = parse(&format!("arn:aws:kinesis:{text}"));
    }
}

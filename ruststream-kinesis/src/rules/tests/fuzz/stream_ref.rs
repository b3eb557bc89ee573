use super::{assert_both_sides, inputs};
use crate::rules::stream_ref::parse;

/// The grammar as the attribute reads it.
#[path = "../../../../../ruststream-kinesis-macros/src/subscriber/stream_name.rs"]
mod attribute;

#[test]
fn the_attribute_refuses_what_the_broker_refuses_of_a_million_damaged_names_and_in_its_words() {
    let sound = [
        "orders",
        "a",
        "Orders.eu_west-1",
        &"s".repeat(128),
        "arn:aws:kinesis:eu-central-1:123456789012:stream/orders",
        "arn:aws-us-gov:kinesis:r:000000000000:stream/o.r-d_ers",
        "arn:aws:kinesis:r:123456789012:stream/s/consumer/c:1",
    ];
    let openings: [&[u8]; 4] = [
        b"",
        b"arn:",
        b"arn:aws:kinesis:",
        b"arn:aws:kinesis:r:123456789012:stream/",
    ];
    let mut accepted = 0;
    for text in inputs(&openings, &sound.map(|text| text.as_bytes().to_vec())) {
        let text = String::from_utf8_lossy(&text);
        let parsed = parse(&text);
        assert_eq!(parsed.err(), attribute::refusal(&text), "{text:?}");
        if let Ok(stream) = parsed {
            assert_eq!(stream.text(), text);
            assert!((1..=128).contains(&stream.name().len()), "{text:?}");
            let rest = text.strip_suffix(stream.name());
            let is_bare = rest == Some("");
            assert!(
                is_bare || rest.is_some_and(|rest| rest.ends_with(":stream/")),
                "{text:?}"
            );
            assert_eq!(stream.arn().is_none(), is_bare, "{text:?}");
            accepted += 1;
        }
    }
    assert_both_sides(accepted);
}

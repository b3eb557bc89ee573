//! The attribute's tables are the descriptor's own.

use proptest::prelude::*;
use ruststream_kinesis::KinesisStream;

#[path = "../../ruststream-kinesis-macros/src/subscriber/stream_name.rs"]
mod stream_name;
#[path = "../src/rules/stream_ref.rs"]
#[expect(dead_code, reason = "only what it refuses is compared")]
mod stream_ref;

#[test]
fn the_attribute_has_a_key_for_every_read_setting_of_the_descriptor() {
    let settings: Vec<_> = KinesisStream::SETTINGS
        .iter()
        .map(|(name, _, literal, _)| (*name, *literal))
        .collect();
    assert_eq!(settings, ruststream_kinesis_macros::read_settings!());
}

/// A name or an ARN, right or nearly so.
fn spellings() -> impl Strategy<Value = String> {
    let part = |known: &'static [&'static str]| {
        prop_oneof![
            3 => prop::sample::select(known).prop_map(str::to_owned),
            1 => "[a-z0-9A-Z:/_. -]{0,14}",
        ]
    };
    let arn = (
        part(&["aws", "aws-cn", "aws-us-gov"]),
        part(&["kinesis"]),
        part(&["eu-west-1", "us-east-1"]),
        part(&["123456789012", "000000000000"]),
        part(&[
            "stream/orders",
            "stream/orders/consumer/audit:1",
            "stream/",
            "orders",
        ]),
    )
        .prop_map(|(partition, service, region, account, resource)| {
            format!("arn:{partition}:{service}:{region}:{account}:{resource}")
        });
    prop_oneof![
        arn,
        "\\PC{0,140}",
        "[a-zA-Z0-9_.-]{1,130}",
        "arn:[a-z:]{0,12}"
    ]
}

proptest! {
    #[test]
    fn a_name_is_refused_at_compile_time_as_it_is_when_the_subscription_opens(text in spellings()) {
        prop_assert_eq!(stream_name::refusal(&text), stream_ref::parse(&text).err());
    }
}

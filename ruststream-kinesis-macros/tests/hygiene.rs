//! Generated code under `missing_docs`, without any prelude, and among names that shadow what it
//! uses.

#![deny(missing_docs)]

mod tape;

/// Every name the generated code uses means something else here.
pub mod shadowed {
    use ruststream_kinesis_macros::descriptor;

    use super::tape::{ConnectedTape, TapeError, TapeSubscriber};

    macro_rules! shadow {
        ($($name:ident)*) => { $(
            #[allow(dead_code, reason = "only its name matters")]
            struct $name;
        )* };
    }
    shadow!(Result Ok Err Some None Into From Future Send Sized ToOwned Clone Debug Eq PartialEq FnOnce);
    mod core {}
    mod std {}
    mod ruststream {}
    mod serde_json {}

    fn connected(
        _: &ConnectedTape,
        _: &Reel,
    ) -> ::std::future::Ready<::std::result::Result<TapeSubscriber, TapeError>> {
        ::std::future::ready(::std::result::Result::Ok(TapeSubscriber))
    }

    fn accepts(text: &str) -> bool {
        !text.is_empty()
    }

    fn reason(text: String) -> TapeError {
        TapeError::Invalid(text)
    }

    #[cfg(feature = "asyncapi")]
    fn value(pause: &u128) -> u128 {
        *pause
    }

    /// One reel of tape; the names are those the generated code uses for itself.
    #[descriptor(
        title = "Tape", connected = ConnectedTape, subscriber = TapeSubscriber, error = TapeError,
        open = connected, invalid = reason, settings = ReelSettings, extension = "x-tape",
    )]
    pub struct Reel {
        /// The label on the reel.
        #[identity(bind = "label", check = accepts, reason = "a reel has a label")]
        label: String,
        /// The pause between reads.
        #[setting(default = 2, mount, bind = "pause", with = value, check = |n| *n > 0, reason = "a pause")]
        value: u128,
        /// The text on the back.
        #[setting(mount, bind = "back", check = |text| accepts(text), reason = "a text")]
        source: Option<String>,
        /// The text inside.
        #[setting(mount, bind = "inside")]
        descriptor: Option<String>,
    }
}

/// No prelude reaches in here. The descriptor cannot stand in such a module: its gates carry
/// `#[diagnostic::on_unimplemented]`, and `diagnostic` comes from the tool prelude.
#[no_implicit_prelude]
pub mod bare {
    use ::core::option::Option;
    use ::ruststream_kinesis_macros::{delivery_keys, publish_options};
    use ::std::string::String;

    use super::tape::{ConnectedTape, Rewinder, TapeMessage};

    fn accepts(text: &str) -> bool {
        !text.is_empty()
    }

    delivery_keys! {
        message = TapeMessage;
        headers {
            /// Where on the tape the record stands.
            INDEX_HEADER = "tape-index",
        }
        /// What one record carries.
        context TapeContext { index: u64 = |m| m.index, rewinder: Rewinder = |m| ::core::clone::Clone::clone(&m.rewinder) }
        /// What one batch carries.
        batch TapeBatchContext { rewinder: Rewinder = |m| ::core::clone::Clone::clone(&m.rewinder) }
        /// Where the record stands.
        key Index => TapeContext.index: clone u64;
        /// Winds the tape back.
        key Rewind => TapeContext.rewinder: borrow Rewinder, TapeBatchContext.rewinder: clone Rewinder;
    }

    /// Writes to tape.
    #[derive(::core::fmt::Debug)]
    pub struct TapePublisher(
        /// The policy it was paired from.
        pub Write,
    );

    fn pair(policy: Write, _: &ConnectedTape) -> TapePublisher {
        TapePublisher(policy)
    }

    fn named() -> String {
        ::std::borrow::ToOwned::to_owned("named")
    }

    /// What a write to tape can say; the names are those the generated code uses for itself.
    #[publish_options(
        policy = Write, live = TapePublisher, connected = ConnectedTape, pair = pair,
        steps = WriteSteps, settings = WriteSettings, extension = "x-tape", channel_bind = "label",
    )]
    pub struct WriteOptions {
        /// Names the track.
        #[option(step, policy, header = INDEX_HEADER, bind = "named", check = accepts, reason = "a name", fallback = named)]
        named: Option<String>,
        /// Names the ink.
        #[option(step, policy, bind = "options", check = accepts, reason = "an ink", fallback = named)]
        options: Option<String>,
        /// Names the cutter.
        #[option(policy, check = accepts, reason = "a cutter", fallback = named)]
        policy: Option<String>,
    }
}

use ruststream::HeaderMap;

#[test]
fn names_of_the_spec_and_of_the_generated_code_do_not_meet() {
    assert_eq!(shadowed::Reel::new("").check(), Err("a reel has a label"));
    assert_eq!(
        shadowed::Reel::new("a").source(String::new()).check(),
        Err("a text")
    );
    let options = bare::WriteOptions {
        options: Some("ink".to_owned()),
        ..Default::default()
    };
    let policy = bare::Write::default().policy("cutter");
    let resolved = bare::resolve(Some(&options), &HeaderMap::new(), &policy).unwrap();
    let values = (resolved.named, resolved.options, resolved.policy);
    assert_eq!(values, ("named".into(), "ink".into(), "cutter".into()));
    assert_eq!(bare::DELIVERY_HEADERS, ["tape-index"]);
}

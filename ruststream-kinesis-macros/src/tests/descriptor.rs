use expect_test::expect_file;
use proc_macro2::TokenStream;
use quote::quote;

use super::{defined, errors, formatted};
use crate::descriptor::generate;

fn header() -> TokenStream {
    quote! {
        title = "Tape", connected = ConnectedTape, subscriber = TapeSubscriber, error = TapeError,
        open = open, invalid = TapeError::Invalid, settings = ReelSettings, extension = "x-tape"
    }
}

/// The errors of a descriptor whose setting is written as `setting`.
fn refused(setting: &TokenStream) -> Vec<String> {
    let item = quote! {
        /// One reel.
        pub struct Reel {
            /// The label.
            #[identity]
            label: String,
            /// How many tracks are cut.
            #[setting(mount)]
            tracks: Option<u8>,
            #setting
        }
    };
    errors(&generate(header(), &item))
}

#[test]
fn the_output_reads_like_code() {
    let item = quote! {
        /// One reel of tape.
        pub struct Reel {
            /// The label on the reel.
            #[identity(bind = "label", check = named, reason = "a reel has a label")]
            label: String,

            /// How long the drive spins down
            /// between reads | at most.
            ///
            /// Not in the table.
            #[setting(
                default = Duration::from_secs(2), shown = "2 seconds", mount,
                bind = "spinDownMs", with = |pause| pause.as_millis(),
                check = |pause| !pause.is_zero(), reason = "a drive needs a pause", literal = duration,
            )]
            spin_down: Duration,

            /// How many tracks are cut.
            #[setting(
                mount, bind = "tracks", check = |tracks| *tracks > 0, reason = "a reel has a track",
                literal = int(1..=0x8),
            )]
            tracks: Option<u8>,

            /// Whether the tape is played backwards.
            #[setting(default = false)]
            backwards: bool,
        }
    };
    let output = generate(header(), &item);
    expect_file!["expanded/descriptor.rs"].assert_eq(&formatted(output));
}

#[test]
fn every_error_of_one_input_is_reported_at_once() {
    let attr = quote!(
        titel = "Tape",
        connected = ConnectedTape,
        connected = Other,
        open = 3,
        settings = ReelSettings
    );
    let item = quote! {
        pub struct Reel<T> {
            #[identity(bind = "a", check = named)]
            label: str,
            #[setting(bind = "a", defualt = 3)]
            #[inline]
            speed: u8,
            #[setting(reason = "none")]
            #[identity]
            check: Option<u8>,
            /// Docs.
            plain: u8,
        }
    };
    let output = generate(attr, &item);
    assert_eq!(
        errors(&output),
        [
            "unknown key `titel`: did you mean `title`?",
            "`connected` is given twice",
            "expected identifier",
            "a descriptor has no generics",
            "unknown key `defualt`: did you mean `default`?",
            "a descriptor's field takes docs and `#[identity(..)]` or `#[setting(..)]`",
            "a field has one role",
            "document the descriptor",
            "another field is bound under this key",
            "document the field: its getter carries the text",
            "what names the subscription is a `String`",
            "say why a value is refused: `reason = \"..\"`",
            "document the field: its setter carries the text",
            "a setting that is no `Option` has a default: `default = ..`",
            "the descriptor has a function of this name",
            "document the field: its getter carries the text",
            "what names the subscription is a `String`",
            "every field is `#[identity(..)]` or `#[setting(..)]`",
            "missing `subscriber = ..`",
            "missing `error = ..`",
            "missing `extension = ..`",
            "a descriptor has one `#[identity]`",
        ]
    );
    assert_eq!(defined(output), ["Reel", "ReelSettings"]);
}

#[test]
fn a_default_that_is_an_expression_says_how_it_is_shown() {
    assert_eq!(
        refused(&quote! {
            /// Docs.
            #[setting(default = a::b())]
            speed: u8,
        }),
        ["say how the docs show it: `shown = \"..\"`"]
    );
}

#[test]
fn keys_that_need_each_other_are_asked_for() {
    assert_eq!(
        refused(&quote! {
            /// Docs.
            #[setting(with = millis, reason = "text")]
            speed: Option<u8>,
        }),
        [
            "`with` needs the key it writes: `bind = \"..\"`",
            "a reason needs the check it explains: `check = ..`",
        ]
    );
}

#[test]
fn a_literal_is_of_a_known_kind() {
    let literal = |literal: TokenStream| {
        refused(&quote! {
            /// Docs.
            #[setting(literal = #literal)]
            speed: Option<u8>,
        })
    };
    assert_eq!(
        literal(quote!(text)),
        ["a literal is `duration`, `int(..)` or `expr`"]
    );
    assert_eq!(literal(quote!(duration(1..))), ["`duration` has no range"]);
    let range = ["a range of whole numbers: `1..` or `1..=10`"];
    assert_eq!(literal(quote!(int(a..))), range);
    assert_eq!(literal(quote!(int(3))), range);
    for known in [
        quote!(duration),
        quote!(int),
        quote!(int(..3)),
        quote!(expr),
    ] {
        assert_eq!(literal(known), [] as [&str; 0]);
    }
}

#[test]
fn what_names_the_subscription_and_what_is_mounted_must_exist() {
    let item = quote! {
        /// One reel.
        pub struct Reel {
            /// Speed.
            #[setting]
            speed: Option<u8>,
        }
    };
    assert_eq!(
        errors(&generate(header(), &item)),
        [
            "no setting is `mount`",
            "missing the `#[identity]` field, which names the subscription",
        ]
    );
}

#[test]
fn what_is_no_struct_with_named_fields_stays_as_it_was() {
    for item in [
        quote!(
            pub struct Reel(String);
        ),
        quote!(
            pub struct Reel;
        ),
    ] {
        let output = generate(header(), &item);
        assert_eq!(
            errors(&output),
            ["a descriptor is a struct with named fields"]
        );
        assert_eq!(defined(output), ["Reel"]);
    }
    let output = generate(
        header(),
        &quote!(
            pub enum Reel {}
        ),
    );
    assert_eq!(errors(&output), ["expected `struct`"]);
}

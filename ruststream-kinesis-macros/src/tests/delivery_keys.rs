use expect_test::expect_file;
use quote::quote;

use super::{defined, errors, formatted};
use crate::delivery_keys::generate;

#[test]
fn the_output_reads_like_code() {
    let output = generate(quote! {
        message = TapeMessage;

        headers {
            /// Where on the tape the record stands.
            INDEX_HEADER = "tape-index",
            /// Who cut it.
            CUTTER_HEADER = "tape-cutter",
        }

        /// What one record carries.
        context TapeContext { index: u64 = |m| m.index, rewinder: Rewinder = |m| m.rewinder.clone() }
        /// What one batch carries.
        batch TapeBatchContext {
            rewinder: Rewinder = |first| first.rewinder.clone(),
            /// Where the batch starts.
            start: u64 = |first| first.index,
        }

        /// Where the record stands.
        key Index => TapeContext.index: clone u64;
        /// Winds the tape back.
        key Rewind => TapeContext.rewinder: borrow Rewinder, TapeBatchContext.rewinder: borrow Rewinder;
    });
    expect_file!["expanded/delivery_keys.rs"].assert_eq(&formatted(output));
}

#[test]
fn every_error_of_one_input_is_reported_at_once() {
    let output = generate(quote! {
        headers {
            INDEX_HEADER = "Tape-Index",
            /// Docs.
            CUTTER_HEADER = "tape-index",
        }
        contxt Lost {}
        context TapeContext { index: u64 = |m| m.index, other: u64 = |n| n.index, pair: u64 = |(a, b)| a }
        /// Docs.
        batch Empty {}
        key Index => TapeContext.index: clone u64, TapeContext.index: clone u64;
        /// Docs.
        key Rewind => TapeContxt.rewinder: borrow Rewinder, Empty.rewinder: move Rewinder;
        /// Docs.
        key Broken = 3;
        /// Docs.
        key Last => TapeContext.pair: clone u64;
    });
    assert_eq!(
        errors(&output),
        [
            "unknown key `contxt`: did you mean `context`?",
            "expected `=>`",
            "document `INDEX_HEADER`",
            "a header is written in lower case",
            "document `Index`",
            "a key reads a context once",
            "no context is called `TapeContxt`",
            "`Empty` has no field `rewinder`",
            "missing `message = ..;`",
            "document `TapeContext`",
            "document the field, or read it with a key",
            "the fields of one context call their message one name: `m`",
            "a field is built by `|message| expression`",
            "a context has a field",
            "a key reads by `clone` or by `borrow`",
        ]
    );
    assert_eq!(
        defined(output),
        [
            "INDEX_HEADER",
            "CUTTER_HEADER",
            "TapeContext",
            "Empty",
            "Index",
            "Rewind",
            "Last"
        ]
    );
}

#[test]
fn a_header_and_the_message_are_named_once() {
    let output = generate(quote! {
        message = A;
        message = B;
        headers {
            /// Docs.
            ONE = "tape-index",
            /// Docs.
            TWO = "tape-index",
        }
    });
    assert_eq!(
        errors(&output),
        ["another header has this name", "the message is named once"]
    );
}

use expect_test::expect_file;
use proc_macro2::TokenStream;
use quote::quote;

use super::{defined, errors, formatted};
use crate::publish_options::generate;

fn header() -> TokenStream {
    quote! {
        policy = Write, live = TapePublisher, connected = ConnectedTape, pair = TapePublisher::new,
        steps = WriteSteps, settings = WriteSettings, extension = "x-tape", channel_bind = "label"
    }
}

#[test]
fn the_output_reads_like_code() {
    let item = quote! {
        /// What a write to tape can say.
        pub struct WriteOptions {
            /// Names the track.
            #[option(step, policy, header = TRACK_HEADER, bind = "track", check = track,
                     reason = "a track has a name", fallback = free_track)]
            track: Option<String>,

            /// Names the ink of the label.
            #[option(step, check = |ink| ink.len() < 4, reason = "an ink has a short name", fallback = blank)]
            ink: Option<String>,
        }
    };
    let output = generate(header(), &item);
    expect_file!["expanded/publish_options.rs"].assert_eq(&formatted(output));
}

#[test]
fn every_error_of_one_input_is_reported_at_once() {
    let attr = quote!(
        polcy = Write,
        policy = Write,
        steps = WriteSteps,
        extension = x,
        live = Live
    );
    let item = quote! {
        pub struct WriteOptions<T> {
            #[option(step, step, bind = "a", check = f)]
            track: Option<u8>,
            /// Docs.
            #[option(bind = "a", check = f, reason = "text", fallback = f)]
            #[option]
            #[inline]
            ink: String,
            /// Docs.
            plain: Option<String>,
            /// Docs.
            #[option = 3]
            odd: Option<String>,
        }
    };
    let output = generate(attr, &item);
    assert_eq!(
        errors(&output),
        [
            "unknown key `polcy`: did you mean `policy`?",
            "expected string literal",
            "publish options have no generics",
            "`step` is given twice",
            "a field is one option",
            "an option's field takes docs and `#[option(..)]`",
            "write the keys in parentheses",
            "document the options",
            "missing `connected = ..`",
            "missing `pair = ..`",
            "missing `settings = ..`",
            "missing `channel_bind = ..`",
            "document the field: its step carries the text",
            "an option is an `Option<String>`",
            "the document shows what the policy set: add `policy`",
            "say why a value is refused: `reason = \"..\"`",
            "missing `fallback = ..`, the value of a publish that names none",
            "an option is an `Option<String>`",
            "nothing sets the option: `step`, `policy` or `header = ..`",
            "say which values go out: `check = ..`, `reason = \"..\"`",
            "missing `fallback = ..`, the value of a publish that names none",
            "every field is `#[option(..)]`",
            "nothing sets the option: `step`, `policy` or `header = ..`",
            "say which values go out: `check = ..`, `reason = \"..\"`",
            "missing `fallback = ..`, the value of a publish that names none",
        ]
    );
    assert_eq!(defined(output), ["WriteOptions", "Write", "WriteSteps"]);
}

#[test]
fn what_is_no_struct_with_named_fields_stays_as_it_was() {
    let output = generate(
        header(),
        &quote!(
            pub struct WriteOptions(String);
        ),
    );
    assert_eq!(
        errors(&output),
        ["publish options are a struct with named fields"]
    );
    assert_eq!(defined(output), ["WriteOptions"]);
}

//! `delivery_keys!` over a broker that is no Kinesis.

mod tape;

use ruststream::{BuildBatchContext, BuildContext, ContextField, Field, HeaderMap};
use ruststream_kinesis_macros::delivery_keys;
use tape::{Rewinder, TapeMessage};

delivery_keys! {
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
}

fn message() -> TapeMessage {
    TapeMessage {
        index: 7,
        rewinder: Rewinder("drive".to_owned()),
        headers: HeaderMap::new(),
    }
}

#[test]
fn the_headers_are_named_once() {
    assert_eq!(DELIVERY_HEADERS, [INDEX_HEADER, CUTTER_HEADER]);
    assert_eq!(DELIVERY_HEADERS, ["tape-index", "tape-cutter"]);
}

#[test]
fn a_context_is_built_from_its_delivery() {
    let context = TapeContext::build(&message());
    assert_eq!(Index.read(&context), 7);
    assert_eq!(Index.get(&context), 7);
    assert_eq!(Rewind.read(&context), Rewinder("drive".to_owned()));
    let rewinder: &Rewinder = Rewind.get(&context);
    assert!(std::ptr::eq(rewinder, &raw const context.rewinder));
}

#[test]
fn a_batch_context_is_built_from_the_first_delivery() {
    let context = <TapeBatchContext as BuildBatchContext<TapeMessage>>::build(&message());
    assert_eq!(context.start, 7);
    assert_eq!(Rewind.get(&context), &Rewinder("drive".to_owned()));
}

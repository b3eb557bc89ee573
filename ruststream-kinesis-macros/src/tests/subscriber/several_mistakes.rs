use proc_macro2::TokenStream;
use quote::quote;

use super::{batch, refused, refused_over};
use crate::subscriber::generate;
use crate::tests::formatted;

#[test]
fn every_mistake_of_one_attribute_is_reported_at_once() {
    assert_eq!(
        refused(&quote!(
            steam = "or ders",
            poll_interval = "0s",
            poll_interval = "2s",
            wrokers(0),
            ,
            create_if_missing = 0,
            on_failure(panik = drop, decode = skipp),
            batch = 20_000,
            start_at = horizn,
            reply()
            colour
        )),
        [
            "unknown key `steam`: did you mean `stream = \"orders\"`?",
            "`poll_interval` is given twice: keep one",
            "unknown clause `wrokers`: did you mean `workers(..)`?",
            "expected a key such as `poll_interval = \"500ms\"`, or a clause such as `workers(4)`",
            "expected `,`",
            "`workers` is at least 1",
            "unknown key `panik`: did you mean `panic`?",
            "unknown policy `skipp`: did you mean `skip`?",
            "`reply()` names no stream: write `reply(\"receipts\")`, or `reply` where the reply's \
             type names it",
            "a stream name holds only letters, digits, `_`, `.` and `-`",
            "`\"0s\"` is no duration: write a number above zero and `ms`, `s` or `m`, such as \
             `\"500ms\"`",
            "a stream has at least one shard",
            "unknown position `horizn`: did you mean `horizon`?",
            "a batch holds 1 to 10000 records, which is the most one read fetches",
            "`batch` is for a handler of batches: take `&[Order]`, or leave `batch` out",
        ]
    );
}

/// What is written after the errors, without whitespace.
fn written(attr: &TokenStream, item: &TokenStream) -> String {
    let output = formatted(generate(attr, item));
    output.split_whitespace().collect()
}

#[test]
fn after_an_error_the_rest_of_the_attribute_still_holds() {
    let output = written(
        &quote!(
            "orders",
            poll_interval = "0s",
            create_if_missing = SHARDS,
            workers(4),
            reply
        ),
        &super::single(),
    );
    let attribute = "#[::ruststream::subscriber(::ruststream_kinesis::KinesisStream::new(\"orders\")\
         .create_if_missing(SHARDS),workers(4),reply)]";
    assert!(output.contains(attribute), "{output}");
}

#[test]
fn after_an_error_a_batch_is_still_sized_and_a_reply_still_sent() {
    let sized = written(&quote!("orders", batch = 0), &batch());
    assert!(
        sized.contains("__records:::core::primitive::usize=1;"),
        "{sized}"
    );
    let misspelt = written(&quote!("orders", bacth = 5), &batch());
    assert!(misspelt.contains("BatchStep"), "{misspelt}");
    let replying = quote! {
        async fn handle(order: &Order) -> Result<Receipt, HandlerOutcome> {
            Ok(order.receipt())
        }
    };
    let reply = written(&quote!("orders", reply()), &replying);
    assert!(reply.contains("reply(\"invalid\")"), "{reply}");
    let misspelt = written(&quote!("orders", repyl), &replying);
    assert!(misspelt.contains(",reply)]"), "{misspelt}");
    let settling = written(&quote!("orders", reply()), &super::single());
    assert!(!settling.contains("\"invalid\""), "{settling}");
}

#[test]
fn after_an_error_the_mount_site_still_names_an_open_source() {
    let open = written(
        &quote!(KinesisStream, poll_interval = "2s"),
        &super::single(),
    );
    assert!(open.contains("subscriber(KinesisStream)"), "{open}");
    let none = written(&quote!(workers(0)), &super::single());
    assert!(none.contains("#[::ruststream::subscriber]"), "{none}");
}

#[test]
fn after_a_misspelt_word_only_words_of_the_framework_are_handed_over() {
    let output = written(
        &quote!("orders", strat_at = horizon, pol_interval = "2s", worker(2)),
        &super::single(),
    );
    let attribute = output
        .split("subscriber(")
        .nth(1)
        .expect("the attribute is written");
    for word in ["strat_at", "pol_interval", "worker("] {
        assert!(!attribute.contains(word), "{attribute}");
    }
}

#[test]
fn a_clause_with_a_mistake_is_left_out() {
    let output = written(
        &quote!(
            "orders",
            workers(0),
            on_failure(panik = drop),
            start_at(horizon),
            threads(2)
        ),
        &super::single(),
    );
    assert!(
        output.contains("KinesisStream::new(\"orders\"))]"),
        "{output}"
    );
    assert_eq!(
        refused_over(&quote!("orders", workers(2), threads(2)), &super::single()).len(),
        1
    );
}

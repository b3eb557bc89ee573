use expect_test::expect_file;
use proc_macro2::TokenStream;
use quote::quote;

use super::{batch, errors, single};
use crate::subscriber::{generate, keys};
use crate::tests::formatted;

fn expanded(attr: &TokenStream, item: &TokenStream) -> String {
    let output = generate(attr, item);
    assert_eq!(errors(&output), [] as [&str; 0]);
    formatted(output)
}

#[test]
fn the_output_reads_like_code() {
    let documented = quote! {
        /// Counts the orders of a batch.
        ///
        /// Slowly.
        #[deprecated = "count them yourself"]
        #[expect(clippy::unused_async, reason = "counts later")]
        #[instrument]
        pub(crate) async fn count(
            orders: &[Order],
            Out(totals): Out<impl Publisher, Totals>,
        ) -> HandlerOutcome {
            HandlerOutcome::ack()
        }
    };
    let output = [
        expanded(
            &quote!(
                stream = "orders",
                poll_interval = "500ms",
                create_if_missing = 2,
                start_at = horizon
            ),
            &single(),
        ),
        expanded(
            &quote!(
                "orders",
                reply("receipts"),
                checkpoint_interval = "1m",
                workers(4, by_key),
                memory_budget = budget(),
                on_failure(decode = skip)
            ),
            &single(),
        ),
        expanded(
            &quote!(
                KinesisStream::new(name()).poll_interval(PAUSE),
                create_if_missing = SHARDS,
                start_at = REPLAY
            ),
            &single(),
        ),
        expanded(
            &quote!(KinesisStream, start_at = sequence(shard(), "49")),
            &single(),
        ),
        expanded(&quote!(batch = 500), &batch()),
        expanded(
            &quote!(stream = ORDERS, batch = SIZE, krate = crate::broker, reply),
            &documented,
        ),
    ];
    expect_file!["../expanded/subscriber.rs"].assert_eq(&output.join("\n"));
}

#[test]
fn the_order_of_keys_and_clauses_does_not_matter() {
    let written = expanded(
        &quote!(
            stream = "orders",
            poll_interval = "2s",
            batch = 5,
            workers(2)
        ),
        &batch(),
    );
    for attr in [
        quote!(
            batch = 5,
            workers(2),
            poll_interval = "2s",
            stream = "orders"
        ),
        quote!(
            workers(2),
            stream = "orders",
            batch = 5,
            poll_interval = "2s",
        ),
        quote!("orders", workers(2), batch = 5, poll_interval = "2s"),
    ] {
        assert_eq!(expanded(&attr, &batch()), written);
    }
}

#[test]
fn each_row_of_the_key_table_is_a_setter_of_the_descriptor() {
    for key in keys::READ_SETTINGS {
        let value: TokenStream = key.example.parse().unwrap();
        let name: TokenStream = key.name.parse().unwrap();
        let output = expanded(&quote!("orders", #name = #value), &single());
        let setter = format!(
            "::ruststream_kinesis::KinesisStream::new(\"orders\").{}(",
            key.name
        );
        let written: String = output.split_whitespace().collect();
        assert!(written.contains(&setter), "{output}");
        let expression = quote!("orders", #name = settings.of("orders")?);
        let output = expanded(&expression, &single());
        let written: String = output.split_whitespace().collect();
        assert!(written.contains("(settings.of(\"orders\")?)"), "{output}");
    }
}

#[test]
fn a_duration_is_written_with_its_unit() {
    for (value, expected) in [
        (quote!("500ms"), "from_millis(500)"),
        (quote!("2s"), "from_secs(2)"),
        (quote!("1m"), "from_secs(60)"),
        (quote!(("90m")), "from_secs(5400)"),
        (quote!("1440m"), "from_secs(86400)"),
    ] {
        let output = expanded(&quote!("orders", poll_interval = #value), &single());
        let written: String = output.split_whitespace().collect();
        assert!(written.contains(expected), "{output}");
    }
}

#[test]
fn a_position_is_one_of_the_words_or_an_expression() {
    let start = |value: TokenStream| {
        let output = generate(&quote!("orders", start_at = #value), &single());
        assert_eq!(errors(&output), [] as [&str; 0]);
        let written: String = formatted(output).split_whitespace().collect();
        let clause = written.find("start_at(").expect("the clause is written");
        written[clause..].replace("::ruststream_kinesis::KinesisPosition", "P")
    };
    for (value, expected) in [
        (quote!(horizon), "start_at(P::horizon())"),
        (quote!(latest), "start_at(P::latest())"),
        (
            quote!(timestamp(since() * 1_000)),
            "start_at(P::timestamp(since()*1_000))",
        ),
        (
            quote!(sequence(SHARD, last)),
            "start_at(P::sequence(SHARD,last))",
        ),
        (
            quote!(REPLAY),
            "start_at(P::at({let__position:P=REPLAY;__position}))",
        ),
        (
            quote!(replay()),
            "start_at(P::at({let__position:P=replay();__position}))",
        ),
        (
            quote!(P::latest()),
            "start_at(P::at({let__position:P=P::latest();__position}))",
        ),
        (
            quote!(if NEW { a } else { b }),
            "start_at(P::at({let__position:P=ifNEW{a}else{b};__position}))",
        ),
    ] {
        let written = start(value);
        assert!(written.starts_with(expected), "{written}");
    }
}

#[test]
fn a_stream_may_be_named_by_its_arn() {
    let arn = "arn:aws:kinesis:eu-west-1:123456789012:stream/orders";
    let output = expanded(&quote!(stream = #arn), &single());
    assert!(output.contains(arn), "{output}");
}

#[test]
fn a_path_to_the_crate_is_the_only_one() {
    let everything = quote!(
        stream = "orders",
        poll_interval = "2s",
        start_at = REPLAY,
        batch = 5,
        krate = crate::broker
    );
    let output = expanded(&everything, &batch());
    assert!(output.contains("crate::broker::KinesisStream"), "{output}");
    assert!(!output.contains("ruststream_kinesis"), "{output}");
}

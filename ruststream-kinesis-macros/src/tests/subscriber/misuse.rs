use quote::quote;

use super::{batch, refused, refused_over};

const KEYS: &str = "the keys are `stream`, `poll_interval`, `create_if_missing`, \
     `checkpoint_interval`, `memory_budget`, `start_at`, `batch`, `krate`, the framework's clauses \
     `reply`, `workers`, `threads`, `on_failure`";

#[test]
fn a_misspelt_word_is_answered_with_the_one_that_was_meant() {
    for (attr, message) in [
        (
            quote!(stream = "orders", pol_interval = "2s"),
            "unknown key `pol_interval`: did you mean `poll_interval = \"500ms\"`?",
        ),
        (
            quote!(steam = "orders"),
            "unknown key `steam`: did you mean `stream = \"orders\"`?",
        ),
        (
            quote!("orders", wrokers(4)),
            "unknown clause `wrokers`: did you mean `workers(..)`?",
        ),
        (
            quote!("orders", repyl),
            "unknown clause `repyl`: did you mean `reply`?",
        ),
        (
            quote!("orders", bacth(5)),
            "unknown clause `bacth`: did you mean `batch = 500`?",
        ),
        (
            quote!("orders", treads = 5),
            "unknown key `treads`: did you mean `threads(..)`?",
        ),
        (
            quote!(polinterval("2s")),
            "unknown clause `polinterval`: did you mean `poll_interval = \"500ms\"`?",
        ),
    ] {
        assert_eq!(refused(&attr)[0], message);
    }
}

#[test]
fn a_step_of_the_mount_site_is_sent_there() {
    for attr in [
        quote!("orders", max_attempts = 3),
        quote!("orders", max_attempts(3)),
    ] {
        let sent =
            "`max_attempts(..)` is a step where the handler is mounted, after `b.include(..)`";
        assert_eq!(refused(&attr), [sent]);
    }
}

#[test]
fn a_word_far_from_every_other_is_answered_with_all_of_them() {
    assert_eq!(
        refused(&quote!("orders", colour = 1)),
        [format!("unknown key `colour`: {KEYS}")]
    );
    assert_eq!(
        refused(&quote!("orders", publish("receipts"))),
        [format!("unknown clause `publish`: {KEYS}")]
    );
}

#[test]
fn a_key_and_a_clause_are_written_each_in_its_way() {
    for (attr, message) in [
        (
            quote!("orders", workers = 4),
            "`workers` is a clause: write `workers(..)`",
        ),
        (
            quote!("orders", reply = "receipts"),
            "`reply` is a clause: write `reply`",
        ),
        (
            quote!("orders", poll_interval("2s")),
            "`poll_interval` is a key: write `poll_interval = \"2s\"`",
        ),
        (
            quote!(stream("orders")),
            "`stream` is a key: write `stream = \"orders\"`",
        ),
        (
            quote!("orders", memory_budget),
            "`memory_budget` is a key: write `memory_budget = 67_108_864`",
        ),
    ] {
        assert_eq!(refused(&attr), [message]);
    }
}

#[test]
fn a_value_is_there() {
    for (attr, message) in [
        (
            quote!("orders", poll_interval =),
            "`poll_interval` has no value: `poll_interval = \"500ms\"`",
        ),
        (
            quote!(stream = , workers(4)),
            "`stream` has no value: `stream = \"orders\"`",
        ),
    ] {
        assert_eq!(refused(&attr), [message]);
    }
}

#[test]
fn nothing_is_named_twice() {
    for (attr, message) in [
        (
            quote!("orders", poll_interval = "1s", poll_interval = "2s"),
            "`poll_interval` is given twice: keep one",
        ),
        (
            quote!("orders", reply, reply("receipts")),
            "`reply` is given twice: keep one",
        ),
        (
            quote!("orders", workers(4), threads(4)),
            "`workers(..)` and `threads(..)` are one setting: keep one of them",
        ),
        (
            quote!("orders", stream = "jobs"),
            "the stream is named twice: keep `stream = ..` or what stands in front",
        ),
        (
            quote!(KinesisStream, stream = "jobs"),
            "the stream is named twice: keep `stream = ..` or what stands in front",
        ),
        (
            quote!("orders", start_at = horizon, start_at(P::latest())),
            "the start position is named twice: keep `start_at = ..` or `start_at(..)`",
        ),
        (
            quote!(
                Stream::new("a").poll_interval(p).check(),
                poll_interval = "2s"
            ),
            "`poll_interval` is given twice: the source calls `.poll_interval(..)`",
        ),
    ] {
        assert_eq!(refused(&attr), [message]);
    }
}

#[test]
fn a_read_setting_needs_the_stream_it_reads() {
    assert_eq!(
        refused(&quote!(poll_interval = "2s", create_if_missing = 1)),
        ["`poll_interval` needs the stream it reads: add `stream = \"orders\"`"]
    );
    assert_eq!(
        refused(&quote!(KinesisStream, create_if_missing = 1)),
        [
            "the mount site names this stream, and `create_if_missing` comes after the name: write \
             `handle.name(\"orders\").create_if_missing(..)` there"
        ]
    );
}

#[test]
fn a_source_stands_first_and_names_its_type() {
    assert_eq!(
        refused(&quote!(poll_interval = "2s", "orders")),
        ["a source stands first: move it to the front, or name the stream with `stream = ..`"]
    );
    let untyped = "a source is a string literal, `Type::new(..)`, `Type { .. }` or a chain on one of \
         these: the framework reads its type off the tokens";
    for source in [
        quote!(orders()),
        quote!(orders().poll(3)),
        quote!(b"orders"),
        quote!(7),
        quote!(concat!("a", "b")),
    ] {
        assert_eq!(refused(&source), [untyped]);
    }
}

#[test]
fn a_key_stands_on_a_function() {
    let item = quote!(
        struct handle;
    );
    assert_eq!(
        refused_over(&quote!("orders", poll_interval = "2s"), &item),
        ["a handler is an `async fn`"]
    );
}

#[test]
fn the_insides_of_a_clause_are_checked_too() {
    for (attr, message) in [
        (
            quote!("orders", workers),
            "`workers` needs a value: write `workers(4)`",
        ),
        (
            quote!("orders", start_at()),
            "`start_at` needs a value: write `start_at = horizon`",
        ),
        (quote!("orders", threads(0)), "`threads` is at least 1"),
        (
            quote!("orders", workers(2, by_keys)),
            "write `workers(n)` or `workers(n, by_key)`",
        ),
        (
            quote!("orders", reply()),
            "`reply()` names no stream: write `reply(\"receipts\")`, or `reply` where the reply's \
             type names it",
        ),
        (
            quote!("orders", start_at(horizon)),
            "the framework's clause takes `Type::ctor(..)`: write `start_at = horizon`",
        ),
        (
            quote!("orders", on_failure(panik = drop)),
            "unknown key `panik`: did you mean `panic`?",
        ),
        (
            quote!("orders", on_failure(panic = retyr)),
            "unknown policy `retyr`: did you mean `retry`?",
        ),
        (
            quote!("orders", on_failure(panic = retry_after)),
            "write `retry_after(duration)`",
        ),
        (
            quote!("orders", on_failure(panic = forget)),
            "unknown policy `forget`: expected `fail_fast`, `drop`, `retry`, `retry_after`, `skip`",
        ),
    ] {
        assert_eq!(refused(&attr), [message]);
    }
    assert_eq!(
        refused_over(&quote!("orders", workers(2, by_key)), &batch()),
        ["`by_key` orders single messages; for batches write `workers(n)`"]
    );
}

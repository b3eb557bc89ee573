use proc_macro2::TokenStream;
use quote::quote;

use crate::subscriber::generate;

/// What may stand in front.
fn sources() -> Vec<TokenStream> {
    vec![
        quote!(),
        quote!("orders"),
        quote!("not a name of this broker"),
        quote!(Tape),
        quote!(tape),
        quote!(batch),
        quote!(stream),
        quote!(::reels::Tape),
        quote!(Tape::<u8>),
        quote!(Tape::new("orders")),
        quote!(crate::reels::Tape::<u8>::open(label(), 3)),
        quote!(Tape {
            label: "orders",
            ..Tape::default()
        }),
        quote!(Tape::new("orders").speed(3).rewind()),
        quote!(reply::Frames),
        quote!(workers::Frames::new("orders")),
    ]
}

/// The spellings of one clause, the first its absence.
fn replies() -> Vec<TokenStream> {
    vec![
        quote!(),
        quote!(reply),
        quote!(reply("receipts")),
        quote!(reply(topics::RECEIPTS)),
    ]
}

fn concurrencies() -> Vec<TokenStream> {
    vec![
        quote!(),
        quote!(workers(4)),
        quote!(workers(count(), by_key)),
        quote!(threads(COUNT)),
        quote!(threads(2, by_key)),
    ]
}

fn failures() -> Vec<TokenStream> {
    vec![
        quote!(),
        quote!(on_failure(panic = drop)),
        quote!(on_failure(decode = skip, panic = fail_fast)),
        quote!(on_failure(
            panic = retry_after(Duration::from_secs(1)),
            decode = retry,
        )),
        quote!(on_failure(decode = POLICY)),
        quote!(on_failure(
            panic = policies::of("orders"),
            decode = policy()
        )),
    ]
}

fn positions() -> Vec<TokenStream> {
    vec![
        quote!(),
        quote!(start_at(Position::horizon())),
        quote!(start_at(Position { index: 3 })),
        quote!(start_at(tape::Position::at(1).after(2))),
    ]
}

/// Every form: a source and any of the clauses, in several orders, with and without a last comma.
fn forms() -> Vec<TokenStream> {
    let mut forms = Vec::new();
    for reply in &replies() {
        for concurrency in &concurrencies() {
            for failure in &failures() {
                for position in &positions() {
                    let mut clauses: Vec<_> = [reply, concurrency, failure, position]
                        .into_iter()
                        .filter(|clause| !clause.is_empty())
                        .collect();
                    let turns = forms.len() % clauses.len().max(1);
                    clauses.rotate_left(turns);
                    for source in &sources() {
                        let entries = Some(source).filter(|source| !source.is_empty());
                        let entries: Vec<_> = entries.into_iter().chain(clauses.clone()).collect();
                        forms.push(quote!(#(#entries),*));
                        if !entries.is_empty() {
                            forms.push(quote!(#(#entries,)*));
                        }
                    }
                }
            }
        }
    }
    forms
}

fn handed_over(attr: &TokenStream, item: &TokenStream) -> String {
    if attr.is_empty() {
        return quote!(#[::ruststream::subscriber] #item).to_string();
    }
    quote!(#[::ruststream::subscriber(#attr)] #item).to_string()
}

#[test]
fn every_form_of_the_framework_passes_through_token_for_token() {
    let item = quote! {
        /// Reads.
        #[allow(unused, reason = "later")]
        pub async fn handle(order: &Order, Out(out): Out<impl Publisher>) -> HandlerOutcome {
            out.message(order).publish().await?
        }
    };
    let forms = forms();
    assert!(forms.len() > 10_000);
    for attr in forms {
        let output = generate(&attr, &item).to_string();
        assert_eq!(output, handed_over(&attr, &item));
    }
}

#[test]
fn what_stands_below_is_the_frameworks_to_judge() {
    for item in [
        quote!(
            struct Handle;
        ),
        quote!(
            fn handle() {}
        ),
        quote!(async fn handle(self, orders: Vec<Order>)),
        quote!(async fn handle<T>(order: &T) { not rust }),
    ] {
        let attr = quote!("orders", workers(4));
        let output = generate(&attr, &item).to_string();
        assert_eq!(output, handed_over(&attr, &item));
    }
}

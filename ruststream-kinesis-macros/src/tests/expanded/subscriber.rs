#[::ruststream::subscriber(
    ::ruststream_kinesis::KinesisStream::new(
        "orders"
    ).poll_interval(::core::time::Duration::from_millis(500)).create_if_missing(2),
    start_at(::ruststream_kinesis::KinesisPosition::horizon())
)]
async fn handle(order: &Order) -> HandlerOutcome {
    HandlerOutcome::ack()
}

#[::ruststream::subscriber(
    ::ruststream_kinesis::KinesisStream::new(
        "orders"
    ).checkpoint_interval(::core::time::Duration::from_secs(60)).memory_budget(budget()),
    reply("receipts"),
    workers(4, by_key),
    on_failure(decode = skip)
)]
async fn handle(order: &Order) -> HandlerOutcome {
    HandlerOutcome::ack()
}

#[::ruststream::subscriber(
    KinesisStream::new(name()).poll_interval(PAUSE).create_if_missing(SHARDS),
    start_at(
        ::ruststream_kinesis::KinesisPosition::at(
            {let
            __position:::ruststream_kinesis::KinesisPosition = REPLAY;__position}
        )
    )
)]
async fn handle(order: &Order) -> HandlerOutcome {
    HandlerOutcome::ack()
}

#[::ruststream::subscriber(
    KinesisStream,
    start_at(::ruststream_kinesis::KinesisPosition::sequence(shard(), "49"))
)]
async fn handle(order: &Order) -> HandlerOutcome {
    HandlerOutcome::ack()
}

#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[allow(non_camel_case_types, reason = "it is named as the function is")]
struct handle;
const _: () = {
    type __Handler = handle;
    {
        #[::ruststream::subscriber]
        async fn handle(orders: &[Order]) -> HandlerOutcome {
            HandlerOutcome::ack()
        }
        impl ::ruststream::runtime::Declared for __Handler {
            type Form = <handle as ::ruststream::runtime::Declared>::Form;
            type Settings = <<handle as ::ruststream::runtime::Declared>::Settings as ::ruststream::runtime::BatchStep>::Out;
            fn declare(self) -> Self::Settings {
                ::ruststream::runtime::BatchStep::apply_batch(
                    ::ruststream::runtime::Declared::declare(handle),
                    {
                        let __records: ::core::primitive::usize = 500;
                        ::core::num::NonZeroUsize::new(__records)
                            .unwrap_or(::core::num::NonZeroUsize::MIN)
                    },
                )
            }
        }
    }
};

/// Counts the orders of a batch.
///
/// Slowly.
#[deprecated = "count them yourself"]
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[allow(non_camel_case_types, reason = "it is named as the function is")]
#[allow(clippy::unused_async, reason = "counts later")]
pub(crate) struct count;
#[expect(clippy::unused_async, reason = "counts later")]
const _: () = {
    #[allow(deprecated, reason = "to define it is not to use it")]
    type __Handler = count;
    const _: () = {
        let __records: ::core::primitive::usize = SIZE;
        ::core::assert!(
            1 <= __records && __records <= 10000,
            "a batch holds 1 to 10000 records, which is the most one read fetches"
        );
    };
    {
        #[::ruststream::subscriber(crate::broker::KinesisStream::new(ORDERS), reply)]
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
        impl ::ruststream::runtime::Declared for __Handler {
            type Form = <count as ::ruststream::runtime::Declared>::Form;
            type Settings = <<count as ::ruststream::runtime::Declared>::Settings as ::ruststream::runtime::BatchStep>::Out;
            fn declare(self) -> Self::Settings {
                ::ruststream::runtime::BatchStep::apply_batch(
                    ::ruststream::runtime::Declared::declare(count),
                    {
                        let __records: ::core::primitive::usize = SIZE;
                        ::core::num::NonZeroUsize::new(__records)
                            .unwrap_or(::core::num::NonZeroUsize::MIN)
                    },
                )
            }
        }
    }
};

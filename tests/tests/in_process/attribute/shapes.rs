//! Every shape of handler under the keys, twice: as the framework's attribute declares it, and as
//! ours does where the function is documented.

macro_rules! every_shape {
    ($(#[$attribute:meta])*) => {
        use std::convert::Infallible;
        use std::sync::Arc;
        use std::sync::atomic::{AtomicU64, Ordering};
        use std::time::Duration;

        use futures::future::join_all;
        use ruststream::runtime::App;
        use ruststream::testing::TestApp;
        use ruststream_kinesis::prelude::*;
        use serde::{Deserialize, Serialize};
        use tests::apps::{Order, info, orders, publish_orders};

        #[derive(Debug, PartialEq, Deserialize, Serialize, Outgoing)]
        #[outgoing(name = "receipts")]
        struct Receipt {
            order: u64,
        }

        #[derive(OutSlot)]
        #[publishes(Receipt)]
        struct Journal;

        /// The payload as it lies in the record.
        #[derive(Deserialized)]
        struct Frame<'a>(&'a [u8]);

        #[derive(Serialize, Deserialize)]
        struct Tenant {
            tenant: u64,
        }

        type Seen = Arc<AtomicU64>;

        #[derive(FromRef)]
        struct Known {
            seen: Seen,
        }

        #[subscriber(stream = "orders", poll_interval = "500ms", create_if_missing = 2)]
        $(#[$attribute])*
        async fn single(order: &Order) -> HandlerOutcome {
            let _ = order.id;
            HandlerOutcome::ack()
        }

        #[subscriber("orders", batch = 2, poll_interval = "500ms")]
        $(#[$attribute])*
        async fn batch(orders: &[Order]) -> Vec<HandlerOutcome> {
            orders.iter().map(|_| HandlerOutcome::ack()).collect()
        }

        #[subscriber("orders", create_if_missing = 1, start_at = latest)]
        $(#[$attribute])*
        async fn raw(frame: &Frame<'_>) -> HandlerOutcome {
            if frame.0.is_empty() { HandlerOutcome::drop() } else { HandlerOutcome::ack() }
        }

        #[subscriber(stream = "orders", batch = 3)]
        $(#[$attribute])*
        async fn raw_batch(frames: &[Frame<'_>]) -> HandlerOutcome {
            if frames.iter().any(|frame| frame.0.is_empty()) {
                return HandlerOutcome::drop();
            }
            HandlerOutcome::ack()
        }

        #[subscriber(reply, stream = "orders", poll_interval = "1s")]
        $(#[$attribute])*
        async fn replying(order: &Order) -> Receipt {
            Receipt { order: order.id }
        }

        #[subscriber(stream = "orders", reply, poll_interval = "1s")]
        $(#[$attribute])*
        async fn replying_at_will(order: &Order) -> Result<Receipt, HandlerOutcome> {
            if order.id == 0 { Err(HandlerOutcome::drop()) } else { Ok(Receipt { order: order.id }) }
        }

        #[subscriber(stream = "orders", batch = 2, reply)]
        $(#[$attribute])*
        async fn replying_in_batches(orders: &[Order]) -> Vec<Receipt> {
            orders.iter().map(|order| Receipt { order: order.id }).collect()
        }

        #[subscriber(stream = "orders", poll_interval = "1s")]
        $(#[$attribute])*
        async fn slotted(
            order: &Order,
            Out(journal): Out<impl Publisher<Options = KinesisPublishOptions>, Journal>,
        ) -> HandlerOutcome {
            let receipt = Receipt { order: order.id };
            match journal.message(&receipt).partition_key("acme").publish().await {
                Ok(()) => HandlerOutcome::ack(),
                Err(_) => HandlerOutcome::retry(),
            }
        }

        #[subscriber(stream = "orders", batch = 2, poll_interval = "1s")]
        $(#[$attribute])*
        async fn slotted_in_batches(
            orders: &[Order],
            ctx: &mut Context<'_, KinesisBatchContext>,
            Out(journal): Out<impl Publisher, Journal>,
        ) -> HandlerOutcome {
            let _: &ruststream_kinesis::KinesisSeeker = ctx.context(SeekHandle);
            for order in orders {
                if journal.message(&Receipt { order: order.id }).publish().await.is_err() {
                    return HandlerOutcome::retry();
                }
            }
            HandlerOutcome::ack()
        }

        #[subscriber(stream = "orders", start_at = horizon)]
        $(#[$attribute])*
        async fn injected(
            order: &Order,
            Ctx(position): Ctx<Position>,
            State(seen): State<Seen>,
            Headers(tenant): Headers<Tenant>,
        ) -> HandlerOutcome {
            seen.fetch_add(order.id * tenant.tenant, Ordering::SeqCst);
            match position {
                KinesisPosition::Sequence { .. } => HandlerOutcome::ack(),
                _ => HandlerOutcome::drop(),
            }
        }

        #[subscriber(workers(2, by_key), stream = "orders", memory_budget = 1_048_576)]
        $(#[$attribute])*
        async fn in_lanes(order: &Order) -> HandlerOutcome {
            let _ = order.id;
            tokio::task::yield_now().await;
            HandlerOutcome::ack()
        }

        #[subscriber(stream = "orders", threads(2), checkpoint_interval = "5s")]
        $(#[$attribute])*
        async fn on_threads(order: &Order) -> HandlerOutcome {
            let _ = order.id;
            HandlerOutcome::ack()
        }

        #[subscriber(stream = "orders", on_failure(panic = drop, decode = skip), poll_interval = "1s")]
        $(#[$attribute])*
        async fn failing(order: &Order) -> HandlerOutcome {
            assert!(order.id > 1, "the first order is one too many");
            HandlerOutcome::ack()
        }

        /// An app as `main` runs it.
        mod service {
            use super::*;

            #[ruststream::app]
            pub(super) fn app() -> impl App {
                RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
                    b.include(single);
                })
            }
        }

        async fn accepts<A>(app: A, ids: &[u64])
        where
            A: App,
            A::State: Send + Sync + 'static,
        {
            let tb = TestApp::start(app).await.expect("the app starts");
            let broker = tb.broker::<KinesisBroker>();
            publish_orders(&broker, ids).await;
            broker
                .subscriber("orders")
                .assert_called(ids.len())
                .settled(HandlerOutcome::ack());
            assert_eq!(broker.subscriber("orders").received::<Order>(), orders(ids));
            tb.shutdown().await.expect("the app stops");
        }

        macro_rules! mounted {
            ($handler:expr) => {
                RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
                    b.include($handler);
                })
            };
        }

        #[tokio::test]
        async fn a_handler_of_single_records() {
            accepts(mounted!(single), &[1, 2]).await;
            accepts(mounted!(single.workers(nonzero!(2))), &[1]).await;
            accepts(mounted!(single.memory_budget(1)), &[1]).await;
            accepts(service::app(), &[1]).await;
        }

        #[tokio::test]
        async fn a_handler_in_a_router() {
            let router = Router::<KinesisBroker>::new().include(single);
            let app = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
                b.include_router(router);
            });
            accepts(app, &[1]).await;
            let router = Router::<KinesisBroker>::new().include(batch);
            let app = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
                b.include_router(router);
            });
            accepts(app, &[1]).await;
        }

        #[tokio::test]
        async fn a_handler_in_a_function() {
            const PAUSE: Duration = Duration::from_secs(1);

            #[subscriber(stream = "orders", poll_interval = PAUSE)]
            $(#[$attribute])*
            async fn local(order: &Order) -> HandlerOutcome {
                let _ = order.id;
                HandlerOutcome::ack()
            }

            #[subscriber(stream = "orders", batch = 4)]
            $(#[$attribute])*
            async fn local_batch(orders: &[Order]) -> HandlerOutcome {
                let _ = orders.len();
                HandlerOutcome::ack()
            }

            accepts(mounted!(local), &[1]).await;
            accepts(mounted!(local_batch.poll_interval(PAUSE)), &[1]).await;
        }

        #[tokio::test]
        async fn lanes_and_threads() {
            accepts(mounted!(in_lanes), &[1, 2]).await;
            accepts(mounted!(on_threads), &[1, 2]).await;
        }

        #[tokio::test(start_paused = true)]
        async fn a_handler_of_batches_takes_as_many_as_its_key_says() {
            let tb = TestApp::start(mounted!(batch)).await.expect("the app starts");
            let broker = tb.broker::<KinesisBroker>();
            let together = orders(&[1, 2, 3]);
            for sent in join_all(together.iter().map(|order| broker.message(order).publish())).await {
                sent.expect("the reaction settles");
            }
            broker
                .subscriber("orders")
                .assert_batch_sizes(&[2, 1])
                .settled(HandlerOutcome::ack());
            tb.shutdown().await.expect("the app stops");
        }

        #[tokio::test]
        async fn a_handler_of_raw_bytes() {
            for app in [mounted!(raw), mounted!(raw_batch)] {
                let tb = TestApp::start(app).await.expect("the app starts");
                let broker = tb.broker::<KinesisBroker>();
                publish_orders(&broker, &[1]).await;
                broker
                    .subscriber("orders")
                    .assert_called_once()
                    .settled(HandlerOutcome::ack());
                tb.shutdown().await.expect("the app stops");
            }
        }

        #[tokio::test]
        async fn a_handler_that_replies() {
            for app in [
                mounted!(replying),
                mounted!(replying_at_will),
                mounted!(replying_in_batches),
            ] {
                let tb = TestApp::start(app).await.expect("the app starts");
                let broker = tb.broker::<KinesisBroker>();
                publish_orders(&broker, &[7]).await;
                broker
                    .published::<Receipt>("receipts")
                    .assert_called_once()
                    .with(&Receipt { order: 7 });
                tb.shutdown().await.expect("the app stops");
            }
        }

        #[tokio::test]
        async fn a_reply_is_keyed_at_the_mount_site() {
            let app = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
                b.include(replying)
                    .out_reply(Publish::default())
                    .partition_key("receipts-v1");
            });
            let tb = TestApp::start(app).await.expect("the app starts");
            let broker = tb.broker::<KinesisBroker>();
            publish_orders(&broker, &[7]).await;
            broker
                .published::<Receipt>("receipts")
                .with_header(ruststream_kinesis::PARTITION_KEY_HEADER, "receipts-v1");
            tb.shutdown().await.expect("the app stops");
        }

        #[tokio::test]
        async fn a_handler_with_slots() {
            let of_singles = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
                b.include(slotted).out(Journal, Publish::default()).build();
            });
            let of_batches = RustStream::new(info()).with_broker(KinesisBroker::new(), |b| {
                b.include(slotted_in_batches)
                    .out(Journal, Publish::default())
                    .build();
            });
            for app in [of_singles, of_batches] {
                let tb = TestApp::start(app).await.expect("the app starts");
                let broker = tb.broker::<KinesisBroker>();
                publish_orders(&broker, &[7]).await;
                tb.out::<Journal>()
                    .decoded_as::<Receipt>()
                    .assert_called_once()
                    .with(&Receipt { order: 7 });
                tb.shutdown().await.expect("the app stops");
            }
        }

        #[tokio::test]
        async fn a_handler_with_context_state_and_headers() {
            let seen = Seen::default();
            let state = Known { seen: seen.clone() };
            let app = RustStream::new(info())
                .on_startup(async move |()| Ok::<_, Infallible>(state))
                .with_broker(KinesisBroker::new(), |b| {
                    b.include(injected);
                });
            let tb = TestApp::start(app).await.expect("the app starts");
            let broker = tb.broker::<KinesisBroker>();
            broker
                .publish_with_headers("orders", &Order { id: 6 }, &Tenant { tenant: 7 })
                .await
                .expect("the reaction settles");
            broker
                .subscriber("orders")
                .assert_called_once()
                .settled(HandlerOutcome::ack());
            assert_eq!(seen.load(Ordering::SeqCst), 42);
            tb.shutdown().await.expect("the app stops");
        }

        #[tokio::test]
        async fn a_handler_that_panics_settles_as_its_clause_says() {
            let tb = TestApp::start(mounted!(failing)).await.expect("the app starts");
            let broker = tb.broker::<KinesisBroker>();
            publish_orders(&broker, &[1, 2]).await;
            broker.subscriber("orders").assert_called(2);
            tb.shutdown().await.expect("the app stops");
        }
    };
}

mod plain {
    every_shape!();
}

mod documented {
    every_shape!(
        /// Reads orders.
        #[deny(unused_must_use)]
    );
}

//! What opening a subscription refuses, what it creates, and that a stream has one at a time.

use std::time::Duration;

use futures::future::join_all;
use kinesis_stack::{Fault, KinesisStack, On};
use ruststream::{Broker, ConnectedBroker, IncomingMessage, Subscribe};
use ruststream_kinesis::prelude::*;
use ruststream_kinesis::{ConnectedKinesisBroker, KinesisError};
use tests::frozen::Frozen;
use tests::live::{OneStream, SLACK, broker, handle, record, text, within};
use tests::store::SeeingStore;
use tests::wire::{arn, publish};
use tokio::time::timeout;

const ARN: &str = "arn:aws:kinesis:us-east-1:000000000000:stream/orders";

async fn connect(stack: &KinesisStack) -> ConnectedKinesisBroker {
    let connected = broker(stack.endpoint()).connect().await;
    connected.expect("the broker connects")
}

fn creating(stream: &str) -> KinesisStream {
    KinesisStream::new(stream)
        .create_if_missing(2)
        .poll_interval(Duration::from_millis(200))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalid_descriptor_is_refused_before_any_io() {
    let stack = KinesisStack::start();
    let connected = connect(&stack).await;
    let named = || KinesisStream::new("orders");
    let invalid = [
        KinesisStream::new(""),
        KinesisStream::new("orders of today"),
        KinesisStream::new("o".repeat(129)),
        KinesisStream::new("arn:aws:kinesis:us-east-1:000000000000:orders"),
        KinesisStream::new("arn:aws:sqs:us-east-1:000000000000:stream/orders"),
        KinesisStream::new("arn:aws:kinesis:us-east-1:0:stream/orders"),
        KinesisStream::new(format!("{ARN}/consumer/a:1")),
        named().create_if_missing(0),
        named().create_if_missing(-1),
        named().poll_interval(Duration::ZERO),
        named().checkpoint_interval(Duration::ZERO),
        named().memory_budget(0),
    ];
    for descriptor in invalid {
        let refused = connected.subscribe_stream(descriptor.clone()).await;
        let Err(KinesisError::Invalid(reason)) = refused else {
            panic!("{descriptor:?} is refused, not {refused:?}");
        };
        assert!(reason.contains(descriptor.stream()), "{reason}");
    }
    let refused = Subscribe::subscribe(&connected, "").await;
    assert!(
        matches!(refused, Err(KinesisError::Invalid(_))),
        "{refused:?}"
    );
    assert!(stack.calls().all().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_the_service_does_not_have_is_asked_for_once_and_refused() {
    let stack = KinesisStack::start();
    let connected = connect(&stack).await;
    for named in ["orders", ARN] {
        stack.calls().clear();
        let refused = within(connected.subscribe_stream(KinesisStream::new(named))).await;
        let refused = refused.expect_err("the stream is missing");
        assert!(refused.is_not_found(), "{refused:?}");
        let KinesisError::Stream { stream, source } = refused else {
            panic!("{named} is missing, not {refused:?}");
        };
        assert_eq!(stream, named);
        assert!(source.to_string().contains("ResourceNotFound"), "{source}");
        let calls = stack.calls().all();
        let asked: Vec<_> = calls.iter().map(|call| call.operation.as_str()).collect();
        assert_eq!(asked, ["DescribeStreamSummary"]);
    }
    // A refused stream is not taken.
    let opened = within(connected.subscribe_stream(creating("orders"))).await;
    opened.expect("the stream is created");
}

#[subscriber(KinesisStream::new("orders"))]
async fn discard(order: &serde_json::Value) -> HandlerOutcome {
    let _ = order;
    HandlerOutcome::ack()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_over_a_stream_the_service_does_not_have_does_not_start() {
    let stack = KinesisStack::start();
    let service = broker(stack.endpoint());
    let app = RustStream::new(AppInfo::new("orders", "0.1.0")).with_broker(service, |b| {
        b.include(discard);
    });
    let refused = within(app.start())
        .await
        .expect_err("the stream is missing");
    let mut said = refused.to_string();
    let mut cause = std::error::Error::source(&refused);
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    assert!(said.contains("'orders'"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_still_being_created_is_refused_with_its_state() {
    let delay = Duration::from_hours(1);
    let stack = KinesisStack::builder().create_delay(delay).start();
    let connected = connect(&stack).await;
    let creation = connected.subscribe_stream(creating("orders"));
    let created = On::operation("CreateStream");
    let begun = stack.calls().reach(&created, 1);
    futures::future::select(Box::pin(creation), Box::pin(begun)).await;
    let opened = within(connected.subscribe_stream(KinesisStream::new("orders"))).await;
    let refused = opened.expect_err("it cannot be read yet").to_string();
    assert!(
        refused.contains("CREATING") && refused.contains("orders"),
        "{refused}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn create_if_missing_creates_the_stream_and_waits_until_it_is_usable() {
    for named in ["orders", ARN] {
        let delay = Duration::from_millis(200);
        let stack = KinesisStack::builder().create_delay(delay).start();
        let connected = connect(&stack).await;
        let mut subscriber = within(connected.subscribe_stream(creating(named)))
            .await
            .expect("the stream is created");
        let created = stack.calls().selected(&On::operation("CreateStream"));
        assert_eq!(created.len(), 1);
        assert_eq!(created[0].request["ShardCount"], 2);
        assert_eq!(created[0].request["StreamName"], "orders");

        let publisher = connected.publisher();
        let sent = publish(&publisher, named, b"first").await;
        sent.expect("the stream is usable");
        assert_eq!(handle(&mut subscriber, 1).await, ["first"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn create_if_missing_leaves_a_stream_alone_that_is_there() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    live.stack().calls().clear();
    let opened = within(connected.subscribe_stream(creating(live.stream()))).await;
    opened.expect("the stream is there");
    let created = On::operation("CreateStream");
    assert_eq!(live.stack().calls().count(&created), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_creation_by_another_instance_at_the_same_time_is_no_error() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    // The stream was created between the question and the creation.
    let missing = live.stack().faults().once(
        On::operation("DescribeStreamSummary"),
        Fault::error(400, "ResourceNotFoundException", "none"),
    );
    live.stack().calls().clear();
    let opened = within(connected.subscribe_stream(creating(live.stream()))).await;
    opened.expect("the stream is there by now");
    assert_eq!(missing.hits(), 1);
    let created = On::operation("CreateStream");
    assert_eq!(live.stack().calls().count(&created), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_instances_that_start_together_each_opens_the_stream_one_of_them_created() {
    let delay = Duration::from_millis(300);
    let stack = KinesisStack::builder().create_delay(delay).start();
    let instances = join_all((0..4).map(|_| connect(&stack))).await;
    let opened = instances
        .iter()
        .map(|connected| connected.subscribe_stream(creating("orders")));
    for opened in within(join_all(opened)).await {
        opened.expect("the stream is created");
    }
}

#[tokio::test]
async fn a_stream_that_is_not_usable_within_a_minute_is_an_error_that_names_it_and_its_state() {
    let stack = KinesisStack::builder()
        .create_delay(Duration::from_hours(1))
        .start();
    let connected = connect(&stack).await;
    let clock = Frozen::start();
    let began = tokio::time::Instant::now();
    let opened = clock.pass(connected.subscribe_stream(creating("orders")));
    let Err(KinesisError::Stream { stream, source }) = opened.await else {
        panic!("the stream is still being created");
    };
    assert_eq!(stream, "orders");
    assert!(source.to_string().contains("CREATING"), "{source}");
    let waited = began.elapsed();
    let minute = Duration::from_mins(1);
    let a_minute = minute..minute + Frozen::during(SLACK);
    assert!(a_minute.contains(&waited), "{waited:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_has_one_subscription_by_whichever_name() {
    let live = OneStream::embedded(1).await;
    let arn = arn(live.client(), live.stream()).await;
    let names = [live.stream(), &arn];
    let connected = live.broker().connect().await.expect("connects");
    for first in names {
        let open = within(connected.subscribe_stream(KinesisStream::new(first))).await;
        let open = open.expect("the stream is free");
        for second in names {
            let refused = within(connected.subscribe_stream(KinesisStream::new(second))).await;
            let Err(KinesisError::AlreadySubscribed { stream }) = refused else {
                panic!("{second} is taken, not {refused:?}");
            };
            assert_eq!(stream, second);
        }
        // The next round finds the stream free at once.
        drop(open);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_subscriptions_opened_together_one_gets_the_stream() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let opening = (0..8).map(|_| connected.subscribe_stream(live.source()));
    let (open, refused): (Vec<_>, Vec<_>) = within(join_all(opening))
        .await
        .into_iter()
        .partition(Result::is_ok);
    assert_eq!(open.len(), 1);
    for refused in refused {
        let taken = matches!(refused, Err(KinesisError::AlreadySubscribed { .. }));
        assert!(taken, "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_a_subscription_frees_the_stream_even_with_a_delivery_in_flight() {
    let live = OneStream::embedded(1).await;
    let (connected, mut subscriber) = live.open(live.broker()).await;
    live.put_many("key", 0..2).await;
    handle(&mut subscriber, 1).await;
    let in_flight = record(&mut subscriber).await;
    drop(subscriber);
    // Nothing is refused; what was not settled comes again.
    let mut again = live.subscribe(&connected).await;
    let redelivered = record(&mut again).await;
    assert_eq!(text(&redelivered), text(&in_flight));
    in_flight.ack().await.expect_err("its subscription is gone");
    redelivered.ack().await.expect("acknowledged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_opening_that_is_given_up_leaves_no_subscription_behind() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let listing = On::operation("ListShards");
    let delayed = live
        .stack()
        .faults()
        .once(listing, Fault::Delay(Duration::from_millis(300)));
    {
        let opening = connected.subscribe_stream(live.source());
        futures::future::select(Box::pin(opening), Box::pin(delayed.reach(1))).await;
    }
    live.subscribe(&connected).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opening_returns_once_every_shard_it_took_has_its_starting_cursor() {
    const SHARDS: usize = 3;
    let live = OneStream::embedded(3).await;
    let connected = live.broker().connect().await.expect("connects");
    let iterators = On::operation("GetShardIterator");
    let slow = Fault::Delay(Duration::from_millis(100));
    live.stack().faults().times(SHARDS, iterators.clone(), slow);
    let mut subscriber = live.subscribe(&connected).await;
    assert_eq!(live.stack().calls().count(&iterators), SHARDS);
    for hash_key in [0, u128::MAX / 2, u128::MAX] {
        live.put_at(hash_key, "after").await;
    }
    assert_eq!(handle(&mut subscriber, SHARDS).await, ["after"; SHARDS]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bare_name_opens_as_the_descriptor_with_its_defaults_does() {
    let live = OneStream::embedded(1).await;
    let connected = live.broker().connect().await.expect("connects");
    let mut subscriber = within(Subscribe::subscribe(&connected, live.stream()))
        .await
        .expect("the stream is there");
    assert_eq!(subscriber.stream_name(), live.stream());
    live.put("key", "first").await;
    assert_eq!(handle(&mut subscriber, 1).await, ["first"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_does_not_wait_for_the_calls_that_a_subscription_opens_with() {
    for mute in [true, false] {
        let live = OneStream::embedded(1).await;
        let store = SeeingStore::new();
        let broker = live.broker().lease_store(store.clone());
        let connected = broker.connect().await.expect("the broker connects");
        if mute {
            store.mute();
        }
        let listings = On::operation("ListShards");
        let unlisted = live.stack().faults().always(listings, Fault::NoAnswer);
        let reached = async {
            if mute {
                store.unanswered().await;
            } else {
                unlisted.reach(1).await;
            }
        };
        tokio::select! {
            _ = live.subscribe(&connected) => panic!("it does not open"),
            // Who opens it gives up.
            () = within(reached) => {}
        }
        let shut_down = timeout(SLACK, connected.shutdown()).await;
        shut_down.expect("it ends at once").expect("shuts down");
    }
}

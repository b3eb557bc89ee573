//! "The prelude": what one glob brings, and what it leaves at the crate root.

/// Names that stay at the crate root. Two globs that both bring a name cannot be used together, so
/// this compiles only as long as the prelude leaves each of them alone.
macro_rules! stay_at_the_root {
    ($($name:ident)*) => {
        mod root {$(
            pub(super) struct $name;
        )*}

        #[test]
        fn what_a_mounting_file_does_not_name_stays_at_the_crate_root() {
            use root::*;
            use ruststream_kinesis::prelude::*;

            let _ = KinesisBroker::new();
            $(let _ = $name;)*
        }
    };
}

stay_at_the_root! {
    ClosedKinesisBroker ConnectedKinesisBroker KinesisError KinesisMessage KinesisMonitor
    KinesisPublish KinesisPublisher KinesisSeeker KinesisSubscriber LeaseError LeaseKey LeaseState
    LeaseStore LeaseTimings MemoryLeaseStore
}

mod glob {
    use ruststream_kinesis::prelude::*;

    #[subscriber(KinesisStream::new("orders"))]
    async fn handle(order: &serde_json::Value, Ctx(seeker): Ctx<SeekHandle>) -> HandlerOutcome {
        let _ = (order, seeker);
        HandlerOutcome::ack()
    }

    fn is_a_publisher<P: Publisher>() {}
    fn is_a_seeker<S: Seeker>() {}
    fn is_positioned<M: Positioned>() {}
    fn is_a_policy<P: PublishPolicy<ruststream_kinesis::ConnectedKinesisBroker>>(_: P) {}

    #[test]
    fn one_glob_is_the_frameworks_prelude_and_this_crates_surface() {
        let _ = RustStream::new(AppInfo::new("orders", "0.1.0"));
        let _: KinesisBroker = KinesisBroker::new();
        let _: KinesisStream = KinesisStream::new("orders");
        let _: KinesisPosition = KinesisPosition::horizon();
        // A step of `KinesisSubscriberExt`.
        let _ = handle.poll_interval(std::time::Duration::from_secs(1));
        let _: Option<(KinesisContext, KinesisBatchContext)> = None;
        let _ = (Position, SeekHandle);
        // The step of `KinesisPublishSettings`; `KinesisPublishSteps` is the one of a publish.
        let policy: Publish = Publish::default().partition_key("key");
        is_a_policy(policy);
        let _ = KinesisPublishOptions {
            partition_key: None,
        };
        // A capability is the framework's trait, and the policy's name is no trait of its.
        is_a_publisher::<ruststream_kinesis::KinesisPublisher>();
        is_a_seeker::<ruststream_kinesis::KinesisSeeker>();
        is_positioned::<ruststream_kinesis::KinesisMessage>();
    }

    #[test]
    fn the_prefixed_original_of_the_policy_stays_at_the_crate_root() {
        let _: Publish = ruststream_kinesis::KinesisPublish::default();
    }
}

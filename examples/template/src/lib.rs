//! The service, as `main` runs it and the tests do.

pub mod handlers;

use std::time::Duration;

use ruststream::runtime::SubscriptionEnd;
use ruststream_kinesis::prelude::*;

/// Reads and writes through `broker`, whatever that connects to.
pub fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("orders", env!("CARGO_PKG_VERSION")))
        // A service that reads no more ends, and is started again.
        .on_subscription_end(SubscriptionEnd::FailFast)
        // More than `ASK_AGAIN_AFTER`: a copy that waits longer than this is lost in a stop. A stop
        // may take twice this, for the handlers and then for the copies, and eight seconds for the
        // leases: 28 in all, less than the 30 most supervisors wait before they kill.
        .shutdown_timeout(Duration::from_secs(10))
        .with_broker(broker, |b| {
            b.include(handlers::confirm)
                .out_reply(Publish::default())
                // Four deliveries; after that the order goes to a stream somebody looks at.
                .max_attempts(nonzero!(4))
                .dead_letter("orders.unpaid");
        })
}
